import * as nodeFs from 'node:fs';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as iso from 'isomorphic-git';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withReftable } from '../../src/isomorphic-git/index.ts';
import { describeWithGit, git, gitExecutable } from '../support/git.ts';
import { MemoryFs } from '../support/memory-fs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Place, STEPS } from './workflow.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 }));
afterEach(() => {
  vi.useRealTimers();
});

/** The files of a folder, by name, but for the index, which has the times of files in it. */
function filesIn(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name === '.git/index') continue;
    const path = join(folder, name);
    files.set(name, statSync(path).isFile() ? readFileSync(path, 'latin1') : 'a folder');
  }
  return files;
}

async function outcomes(place: Place): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const [name, step] of STEPS) {
    all.push([
      name,
      await step(place).catch((cause) => {
        throw new Error(name, { cause });
      }),
    ]);
  }
  return all;
}

/** Node's file system with callbacks alone. */
const withCallbacks = Object.fromEntries(
  Object.entries(nodeFs).filter(([name]) => name !== 'promises'),
);

describeWithGit('isomorphic-git through the wrapper', () => {
  it('does to a files repository what it does without it, byte for byte', async () => {
    const [bare, wrapped] = [temporaryFolder(), temporaryFolder()];
    await iso.init({ fs: nodeFs, dir: bare });
    const expected = await outcomes({ fs: nodeFs, dir: bare });
    const fs = withReftable(nodeFs);
    await iso.init({ fs, dir: wrapped });
    expect(await outcomes({ fs, dir: wrapped })).toEqual(expected);
    expect(filesIn(wrapped)).toEqual(filesIn(bare));
  });

  it.each([
    ['a repository of its own making', nodeFs, true],
    ['a repository of its own making, with callbacks', withCallbacks, true],
    ['a repository that Git made', nodeFs, false],
  ])('does all of it on %s', async (_, given, isOwn) => {
    const files = temporaryFolder();
    await iso.init({ fs: nodeFs, dir: files });
    const place: Place = { fs: nodeFs, dir: files };

    const dir = temporaryFolder();
    const fs = withReftable(given, { initRefFormat: 'reftable', fsync: false });
    if (isOwn) await iso.init({ fs, dir });
    else git.output(['init', '-q', '--ref-format=reftable', '-b', 'master', dir]);
    expect(readFileSync(join(dir, '.git/config'), 'utf8')).toMatch(/refstorage = reftable/i);
    for (const [name, step] of STEPS) {
      expect([name, await step({ fs, dir })]).toEqual([name, await step(place)]);
      sameAsGit(name, dir, files);
    }
    expect(readdirSync(join(dir, '.git')).sort()).not.toContain('logs');
    await fs.close();
  });
});

it.each([
  ['promises', (memory: MemoryFs) => ({ promises: memory.promises })],
  ['callbacks', (memory: MemoryFs) => memory.callbacks()],
])('does all of it in memory, with %s', async (_, given) => {
  const files = new MemoryFs();
  const expected: Place = { fs: { promises: files.promises } as never, dir: '/repository' };
  await files.promises.mkdir('/repository');
  await iso.init(expected);
  const memory = new MemoryFs();
  await memory.promises.mkdir('/repository');
  const fs = withReftable(given(memory), { initRefFormat: 'reftable' });
  const place: Place = { fs, dir: '/repository' };
  await iso.init(place);
  for (const [name, step] of STEPS) {
    expect([name, await step(place)]).toEqual([name, await step(expected)]);
  }
  await fs.close();
  if (gitExecutable === undefined) return;
  const [ours, theirs] = [temporaryFolder(), temporaryFolder()];
  memory.copyTo('/repository', ours);
  files.copyTo('/repository', theirs);
  sameAsGit('in the end', ours, theirs);
  expect(await memory.promises.readdir('/repository/.git')).not.toContain('logs');
});

/** Git finds in both repositories the same, and nothing wrong with ours. */
function sameAsGit(step: string, dir: string, files: string): void {
  const show = (cwd: string, ...args: string[]) => [step, git.run(args, { cwd }).stdout];
  const refs = ['for-each-ref', '--format=%(refname) %(objectname) %(symref) %(*objectname)'];
  expect(show(dir, ...refs)).toEqual(show(files, ...refs));
  for (const args of [
    ['symbolic-ref', 'HEAD'],
    ['rev-parse', 'HEAD'],
  ]) {
    expect(show(dir, ...args)).toEqual(show(files, ...args));
  }
  // Whatever moved a branch or HEAD was logged.
  for (const name of [...git.output(['branch', '--format=%(refname)'], { cwd: dir }).split('\n')]) {
    const newest = git.run(['rev-parse', '--verify', '-q', `${name || 'HEAD'}@{0}`], { cwd: dir });
    const value = git.run(['rev-parse', '--verify', '-q', name || 'HEAD'], { cwd: dir });
    expect([step, name, newest.stdout]).toEqual([step, name, value.stdout]);
  }
  const checked = git.run(['fsck', '--no-dangling', '--no-progress'], { cwd: dir });
  expect([step, checked.code, checked.stdout]).toEqual([step, 0, '']);
  expect(git.run(['refs', 'verify'], { cwd: dir })).toMatchObject({ code: 0, stderr: '' });
}
