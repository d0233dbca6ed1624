// What the subcommands of refs that only ask, or optimize, answer as Git does, and how they are used.

import { beforeAll, describe, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

beforeAll(buildCommandLine);

describe.each(['sha1', 'sha256'] as const)('%s', (objectFormat) => {
  describeWithGit('refs', () => {
    let original: Original;
    beforeAll(() => {
      original = makeOriginal(objectFormat);
    });

    it.each([
      '',
      'nonsense',
      '-x',
      '--nonsense',
      '--',
      'exists',
      'exists HEAD',
      'exists refs/heads/main',
      'exists refs/heads/dangling',
      'exists refs/heads/nothing',
      'exists main',
      'exists a b',
      'exists --nonsense',
      'list --format=%(refname) refs/heads',
      'list --count=1 --format=%(refname)',
      'optimize',
      'optimize --all --no-prune --auto',
      'optimize --include refs/heads/* --exclude refs/tags/*',
      'optimize extra',
      'verify',
      'verify --strict',
      'verify extra',
      'verify --nonsense',
    ])('%s', (line) => {
      expectSame(original, ['refs', ...line.split(' ').filter(Boolean)], { usage: true });
    });

    it('tells how each subcommand is used', () => {
      const cwd = original.path;
      for (const name of ['list', 'exists', 'optimize', 'verify']) {
        const { code, stdout } = reftable(['refs', name, '-h'], { cwd });
        expect(code).toBe(git.run(['refs', name, '-h'], { cwd }).code);
        expect(stdout).toMatch(new RegExp(`^usage: reftable refs ${name}\\b`));
        const refused = reftable(['refs', name, '--nonsense'], { cwd });
        expect(refused.stderr).toBe(`error: unknown option \`nonsense'\n${stdout}`);
      }
    });
  });
});
