// Writer processes at work on one repository.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { bundledScript } from '../support/bundled-script.ts';
import { ENVIRONMENT, git, gitExecutable } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readJournal } from './history.ts';
import type { WriterOrders } from './writer.ts';

const SCRIPT = `
  import { readFileSync } from 'node:fs';
  import { carryOut } from './test/stress/writer.ts';
  await carryOut(JSON.parse(readFileSync(process.argv[2], 'utf8')));
`;

export interface WriterOptions {
  updates: number;
  throughGit?: boolean;
  deletes?: boolean;
  /** ms. Default: for ever. */
  lockTimeout?: number;
}

/** How a writer ended. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  complaint: string;
}

export class Fleet {
  readonly gitDir = temporaryFolder();
  readonly #script = bundledScript(SCRIPT);
  readonly #journals: string[] = [];
  readonly #commits: string[];

  /** Makes the repository, with commits enough for `updates` updates. */
  constructor(updates: number) {
    const at = { cwd: this.gitDir };
    git.output(['init', '-q', '--bare', '--ref-format=reftable'], at);
    git.output(['config', 'core.logAllRefUpdates', 'true'], at);
    const marks = join(this.gitDir, 'marks');
    const commit = (i: number) =>
      `commit refs/commits\nmark :${i + 1}\ncommitter C <c@example.com> ${i} +0000\ndata 0\n\n`;
    const input = Array.from({ length: updates }, (_, i) => `${commit(i)}reset refs/commits\n`);
    git.output(['fast-import', '--quiet', `--export-marks=${marks}`], {
      ...at,
      input: input.join(''),
    });
    git.output(['update-ref', '-d', 'refs/commits'], at);
    this.#commits = readFileSync(marks, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[1]!);
  }

  /** Starts a writer. */
  start(options: WriterOptions): { process: ChildProcess; ended: Promise<Ending> } {
    const name = `w${this.#journals.length}`;
    const journal = join(this.gitDir, `${name}.journal`);
    this.#journals.push(journal);
    writeFileSync(journal, '');
    const oids = this.#commits.splice(0, options.updates);
    if (oids.length < options.updates) throw new Error('the fleet has no more commits');
    const orders: WriterOrders = {
      gitDir: this.gitDir,
      journal,
      git: options.throughGit === true ? gitExecutable : undefined,
      sharedRefs: 4,
      oids,
      deletes: options.deletes ?? false,
      name,
      lockTimeout: options.lockTimeout ?? -1,
    };
    const file = join(this.gitDir, `${name}.json`);
    writeFileSync(file, JSON.stringify(orders));
    const child = spawn(process.execPath, [this.#script, file], {
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { process: child, ended: ending(child) };
  }

  /** What all writers tried so far. */
  attempts(): ReturnType<typeof readJournal> {
    return this.#journals.flatMap(readJournal);
  }
}

async function ending(child: ChildProcess): Promise<Ending> {
  const [complaint, [code, signal]] = await Promise.all([
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  return { code, signal, complaint };
}
