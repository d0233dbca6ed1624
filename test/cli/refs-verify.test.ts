// refs verify finds in refs, tables and worktrees what Git finds, and grades it by the same settings.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

beforeAll(buildCommandLine);

describe.each(['sha1', 'sha256'] as const)('%s', (objectFormat) => {
  describeWithGit('refs verify', () => {
    let original: Original;
    beforeAll(() => {
      original = makeOriginal(objectFormat);
      const symref = (...args: string[]) =>
        git.output(['symbolic-ref', ...args], { cwd: original.path });
      symref('refs/heads/lower', 'main');
      symref('refs/heads/upper', 'MAIN');
      symref('refs/heads/root', 'MAIN_HEAD');
      symref('refs/heads/worktree', 'worktrees/a/HEAD');
      symref('refs/heads/stray', 'somewhere/else');
      symref('HEAD', 'refs/tags/light');
      git.output(['pack-refs'], { cwd: original.path });
      git.output(['update-ref', 'refs/heads/more', original.first], { cwd: original.path });
      const folder = join(original.path, '.git/reftable');
      const list = join(folder, 'tables.list');
      const names = readFileSync(list, 'utf8').trimEnd().split('\n');
      renameSync(join(folder, names[0]!), join(folder, 'odd.ref'));
      writeFileSync(list, `${['odd.ref', ...names.slice(1)].join('\n')}\n`);
    });

    it.each([
      [''],
      ['--strict'],
      ['', 'badHeadTarget=ignore', 'badReferentName=ignore'],
      ['--strict', 'badheadtarget=warn', 'badReferentName=warn'],
      ['', 'badReferentName=ignore', 'symrefTargetIsNotARef=error'],
      ['', 'badReftableTableName=error'],
      ['--strict', 'badReftableTableName=ignore', 'symrefTargetIsNotARef=ignore'],
      ['', 'badHeadTarget=warn', 'badHeadTarget=error'],
      ['', 'badHeadTarget=nonsense'],
      ['', 'badHeadTarget='],
      ['', 'nonsense=warn'],
      ['', 'nulInHeader=warn'],
      ['', 'nulInHeader=error', 'largePathname=warn:10', 'hasDotgit=error'],
    ])('%s with %s %s', (option, ...settings) => {
      const configured = settings.flatMap((setting) => ['-c', `fsck.${setting}`]);
      expectSame(original, [...configured, 'refs', 'verify', ...(option === '' ? [] : [option])]);
    });

    it.each(['reftable.blockSize=99999999', 'core.logAllRefUpdates=maybe', 'core.bare=perhaps'])(
      'ends with what is wrong with %s',
      (setting) => {
        expectSame(original, ['-c', setting, 'refs', 'verify']);
      },
    );

    it('tells what it looks at', () => {
      const run = (program: typeof git.run) =>
        program(['refs', 'verify', '--verbose'], { cwd: original.path });
      const { code, stdout, stderr } = run(reftable);
      const expected = run(git.run);
      expect({ code, stdout, stderr }).toEqual({
        code: expected.code,
        stdout: expected.stdout,
        stderr: expected.stderr,
      });
      expect(stderr).toContain('Checking table: odd.ref\n');
    });
  });

  describeWithGit('refs verify of worktrees', () => {
    it('looks at the refs of each', () => {
      const { path } = makeOriginal(objectFormat);
      const worktree = join(temporaryFolder(), 'linked');
      git.output(['worktree', 'add', '-q', worktree, 'topic/two'], { cwd: path });
      git.output(['symbolic-ref', 'refs/worktree/odd', 'main'], { cwd: worktree });
      for (const cwd of [path, worktree]) {
        const expected = git.run(['refs', 'verify', '--verbose'], { cwd });
        const { code, stderr } = reftable(['refs', 'verify', '--verbose'], { cwd });
        expect({ code, stderr }).toEqual({ code: expected.code, stderr: expected.stderr });
        expect(stderr).toContain('worktrees/linked/refs/worktree/odd: badReferentName: ');
      }
    });
  });
});
