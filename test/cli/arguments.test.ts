// Options are read, and refused, as Git's own commands read and refuse theirs.

import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, commandLine, reftable } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

let original: Original;
beforeAll(buildCommandLine);

describeWithGit('options', () => {
  beforeAll(() => {
    original = makeOriginal();
  });

  it.each([
    'show-ref -qx',
    'show-ref -quiet',
    'show-ref -hash',
    'show-ref -no-x',
    'show-ref -x',
    'show-ref -é',
    'show-ref -qé',
    'show-ref --d=3',
    'show-ref --no-q=3',
    'show-ref --nonsense=3',
    'show-ref --abb --d',
    'show-ref --no-verify --head',
    'show-ref --verify --no-verify --head',
    'show-ref --head -- --hash',
    'show-ref --head --end-of-options --hash',
    'show-ref - main',
    'for-each-ref --count',
    'for-each-ref --count=',
    'for-each-ref --count=3g',
    'for-each-ref --count=-3g',
    'for-each-ref --count=1.5',
    'for-each-ref --count=x',
    'for-each-ref --count=0k --format=%(refname)',
    'for-each-ref --count=+2 --format=%(refname)',
    'for-each-ref --count=2 --no-count --format=%(refname)',
    'update-ref -m',
    'update-ref --deref=x refs/heads/main HEAD',
    'update-ref --no-deref=x refs/heads/main HEAD',
    'update-ref --no-m refs/heads/main HEAD',
    'update-ref -z',
  ])('%s', (line) => {
    expectSame(original, line.split(' '), { usage: true });
  });

  it.each(['show-ref -h', 'show-ref -q --help', 'show-ref --help-all', 'update-ref -zh'])(
    '%s tells how the command is used, on standard output',
    (line) => {
      const [command, ...args] = line.split(' ');
      const expected = git.run([command!, ...args], { cwd: original.path });
      const { code, stdout, stderr } = reftable([command!, ...args], { cwd: original.path });
      expect({ code, stderr }).toEqual({ code: expected.code, stderr: expected.stderr });
      expect(stdout).toMatch(new RegExp(`^usage: reftable ${command} `));
      expect(expected.stdout).toMatch(/^usage: /);
    },
  );

  it.each(['--he', '--he=3', '--n'])('%s is ambiguous', (option) => {
    const expected = git.run(['show-ref', option], { cwd: original.path });
    const { code, stderr } = reftable(['show-ref', option], { cwd: original.path });
    expect(code).toBe(expected.code);
    expect(stderr.split('\n')[0]).toBe(expected.stderr.split('\n')[0]);
  });

  it.runIf(process.platform === 'linux')('may be names that are not UTF-8', () => {
    const folder = temporaryFolder();
    const stateAfter = (program: readonly string[], name: string) => {
      const path = join(folder, name);
      cpSync(original.path, path, { recursive: true });
      const script = `name=$(printf 'refs/heads/\\377x'); "$@" update-ref "$name" HEAD && "$@" show-ref "$name"`;
      const env = { ...ENVIRONMENT, LC_ALL: 'C' };
      return spawnSync('sh', ['-c', script, 'sh', ...program], { cwd: path, env }).stdout;
    };
    const ours = stateAfter(commandLine(), 'ours');
    expect(ours).toEqual(stateAfter([process.env.REFTABLE_TEST_GIT ?? 'git'], 'git'));
    expect(ours.includes(0xff)).toBe(true);
  });

  it('are told to shells that complete them', () => {
    const { code, stdout } = reftable(['show-ref', '--git-completion-helper']);
    expect(code).toBe(0);
    expect(stdout.split(/\s+/)).toEqual(expect.arrayContaining(['--verify', '--no-verify']));
    expect(reftable(['update-ref', '--git-completion-helper']).stdout).not.toContain('message');
  });
});
