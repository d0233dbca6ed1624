// The options before the command do what Git's do, and what is wrong with them is said in the same words.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

beforeAll(buildCommandLine);

describe('-c', () => {
  it('is missed with how to call', () => {
    expect(reftable(['-c'])).toMatchObject({ code: 129, stdout: '' });
    expect(reftable(['-c']).stderr).toMatch(/^-c expects a configuration string\nusage: /);
    expect(reftable(['--config-env']).stderr).toMatch(
      /^no config key given for --config-env\nusage: /,
    );
  });
});

describeWithGit('beside Git', () => {
  let original: Original;
  beforeAll(() => {
    original = makeOriginal();
    mkdirSync(join(original.path, 'sub/folder'), { recursive: true });
  });

  it.each([
    ['foo'],
    ['=x'],
    [''],
    ['a.b.'],
    ['.b=1'],
    ['a.1b=1'],
    ['a_b.c=1'],
    ['a.b\nc.d=1'],
    ['a.b-\u00fc=3'],
    ['a.b'],
    ["a.it's!.b=it's!"],
    ['a.b=c=d'],
    ['reftable.blockSize=x'],
    ['reftable.blockSize'],
  ])('-c %j', (setting) => {
    expectSame(original, ['-c', setting, 'show-ref', 'main']);
  });

  it.each([['x'], ['a.b='], ['a.b=NOPE'], ['a.b=HOME'], ['ab=HOME'], ['a.=.b=HOME']])(
    '--config-env %j',
    (setting) => {
      expectSame(original, ['--config-env', setting, 'show-ref', 'main']);
      expectSame(original, [`--config-env=${setting}`, 'show-ref', 'main']);
    },
  );

  it.each([
    [['-c', 'core.logAllRefUpdates=always']],
    [['-c', 'core.logAllRefUpdates=always', '-c', 'core.logAllRefUpdates=0']],
    [['--config-env=core.logAllRefUpdates=GIT_COMMITTER_NAME']],
    [['--bare', '--git-dir=.git']],
    [['--git-dir=.git']],
    [['--git-dir', '.git', '--work-tree', '.']],
    [['--work-tree=sub']],
    [['-C', 'sub', '-C', 'folder', '-C', '']],
    [['-C', 'sub', '--git-dir', '../.git']],
    [['-C', 'nowhere']],
    [['--git-dir=nowhere']],
    [['--git-dir=.git', '--bare', '-c', 'core.bare=false']],
  ])('%j', (options) => {
    expectSame(original, [...options, 'update-ref', 'refs/tags/new', original.first]);
    expectSame(original, [...options, 'update-ref', 'refs/heads/new', original.first]);
  });

  it('adds to the settings that a process was started with', () => {
    const env = { GIT_CONFIG_PARAMETERS: "'core.logAllRefUpdates'='always'" };
    const args = ['update-ref', 'refs/tags/new', original.first];
    expectSame(original, args, { env });
    expectSame(original, ['-c', 'core.logAllRefUpdates=false', ...args], { env });
  });

  it('knows no option by the beginning of its name', () => {
    const { code } = git.run(['--git-di', '.git', 'show-ref'], { cwd: original.path });
    expect(reftable(['--git-di', '.git', 'show-ref'], { cwd: original.path }).code).toBe(code);
  });
});
