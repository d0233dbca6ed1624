// Runs a script in twin repositories, Git in one and the command line in the other, and expects that both say
// the same at each step and leave the same.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Original } from './originals.ts';
import { runGit, runOurs, type Said } from './process.ts';
import { type Script, type Step, showScript } from './script.ts';
import { stateOf } from './state.ts';

type Runner = typeof runGit;

/** Fails, with the script in its text form, where the twins differ. `folder` is where they live meanwhile. */
export async function expectSame(
  script: Script,
  originals: ReadonlyMap<string, Original>,
  folder: string,
): Promise<void> {
  const original = originals.get(script.original);
  if (original === undefined) throw new Error(`no original is named '${script.original}'`);
  const [expected, actual] = await Promise.all([
    outcome(script, original, join(folder, 'git'), runGit),
    outcome(script, original, join(folder, 'ours'), runOurs),
  ]);
  const shown = showScript(script);
  expect(actual.said, shown).toEqual(expected.said);
  expect(actual.state, shown).toEqual(expected.state);
}

/** What the commands said, and the state that they left. */
async function outcome(script: Script, original: Original, parent: string, runner: Runner) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'twin-'));
  try {
    copy(original, folder);
    const said: (Said | undefined)[] = [];
    for (const step of script.steps) {
      said.push(await perform(step, folder, original.ids, runner));
    }
    return { said, state: await stateOf(folder, original.folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The objects are shared. Not by Node's `cpSync`, which takes no names that are not UTF-8. */
function copy(original: Original, folder: string): void {
  const objects = join(folder, 'repo/.git/objects');
  execFileSync('cp', ['-R', `${original.folder}/.`, folder]);
  rmSync(objects, { recursive: true });
  symlinkSync(join(original.folder, 'repo/.git/objects'), objects);
}

async function perform(
  step: Step,
  folder: string,
  ids: Original['ids'],
  runner: Runner,
): Promise<Said | undefined> {
  const repository = join(folder, 'repo');
  const fill = (text: string) => withIds(text, ids).replaceAll('<twin>', folder);
  switch (step.kind) {
    case 'command': {
      const variables = Object.entries(step.env).map(([name, value]) => [name, fill(value)]);
      const env = Object.fromEntries(variables);
      return runner(step.args.map(fill), folder, { env, input: fill(step.input) });
    }
    case 'git': {
      const said = await runGit(step.args.map(fill), folder);
      if (said.code !== 0) throw new Error(`git ${step.args.join(' ')}: ${said.stderr}`);
      return;
    }
    case 'write': {
      const file = join(repository, step.file);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, fill(step.text));
      return;
    }
    case 'hook': {
      const file = join(repository, '.git/hooks', step.name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\n${fill(step.text)}\n`);
      chmodSync(file, 0o755);
    }
  }
}

/** Puts object ids in the place of their names: `$A`. */
function withIds(text: string, ids: Original['ids']): string {
  return text.replaceAll(/\$([A-Z]+)\b/g, (found, name) => ids.get(name) ?? found);
}
