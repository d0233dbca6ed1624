import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  gitReflogPolicy,
  type LogAllRefUpdates,
  parseLogAllRefUpdates,
} from '../../src/reflog/policy.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Row {
  mode: LogAllRefUpdates;
  bare: boolean;
  refs: 'everyday' | 'other' | 'any';
  exists: boolean | 'either';
  logged: boolean;
  asksExistence: boolean;
}

interface Table {
  refs: { everyday: string[]; other: string[] };
  rows: Row[];
}

const table: Table = JSON.parse(
  readFileSync(new URL('../../spec/reflog-policy.json', import.meta.url), 'utf8'),
);

const allNames = [...table.refs.everyday, ...table.refs.other];

function namesOf(row: Row): string[] {
  return row.refs === 'any' ? allNames : table.refs[row.refs];
}

function existencesOf(row: Row): boolean[] {
  return row.exists === 'either' ? [true, false] : [row.exists];
}

describe('the decision table', () => {
  it('has one row for each mode, bareness, name and existence', () => {
    const cases = table.rows.flatMap((row) =>
      namesOf(row).flatMap((name) =>
        existencesOf(row).map((exists) => `${row.mode} ${row.bare} ${name} ${exists}`),
      ),
    );
    expect(new Set(cases).size).toBe(cases.length);
    expect(cases.length).toBe(4 * 2 * 2 * allNames.length);
  });

  it.each(table.rows)('$mode, bare $bare, $refs refs, reflog exists $exists', (row) => {
    const policy = gitReflogPolicy({ mode: row.mode, bare: row.bare });
    for (const name of namesOf(row)) {
      for (const exists of existencesOf(row)) {
        let questions = 0;
        const logged = policy(name, () => {
          questions++;
          return exists;
        });
        expect({ name, logged, questions }).toEqual({
          name,
          logged: row.logged,
          questions: row.asksExistence ? 1 : 0,
        });
      }
    }
  });
});

describe('parseLogAllRefUpdates', () => {
  it.each([
    [undefined, 'unset'],
    [null, 'normal'],
    ['true', 'normal'],
    ['On', 'normal'],
    ['1', 'normal'],
    ['false', 'none'],
    ['', 'none'],
    ['0', 'none'],
    ['always', 'always'],
    ['ALWAYS', 'always'],
  ])('reads %j as %s', (value, mode) => {
    expect(parseLogAllRefUpdates(value)).toBe(mode);
  });

  it('refuses anything else in the words of Git', () => {
    expect(() => parseLogAllRefUpdates('sometimes')).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: "bad boolean config value 'sometimes' for 'core.logallrefupdates'",
      }),
    );
  });
});

describeWithGit('the decision table beside Git', () => {
  const settings: Record<LogAllRefUpdates, string | undefined> = {
    unset: undefined,
    none: 'false',
    normal: 'true',
    always: 'always',
  };
  const repositories = (['unset', 'none', 'normal', 'always'] as const).flatMap((mode) =>
    [false, true].map((bare) => ({ mode, bare })),
  );

  it.each(repositories)('mode $mode, bare $bare', ({ mode, bare }) => {
    const folder = temporaryFolder();
    for (const exists of [false, true]) {
      const gitDir = join(folder, exists ? 'with-reflogs' : 'without-reflogs');
      const logged = new Set(whichDoesGitLog(gitDir, bare, settings[mode], exists));
      const expected = table.rows
        .filter((row) => row.mode === mode && row.bare === bare)
        .filter((row) => row.logged && existencesOf(row).includes(exists))
        .flatMap(namesOf);
      expect(logged).toEqual(new Set(expected));
    }
  });

  /** The refs that an update logs, in a new repository where they have a reflog already or not. */
  function whichDoesGitLog(
    gitDir: string,
    bare: boolean,
    setting: string | undefined,
    exists: boolean,
  ): string[] {
    // HEAD points at none of the refs, since an update of its target would log for HEAD too.
    git.output(['init', '--ref-format=reftable', '--bare', '-b', 'unborn', gitDir]);
    git.output(['config', 'core.bare', String(bare)], { cwd: gitDir });
    if (setting !== undefined) {
      git.output(['config', 'core.logAllRefUpdates', setting], { cwd: gitDir });
    }
    const env = { GIT_DIR: gitDir };
    const tree = git.output(['hash-object', '-t', 'tree', '-w', '--stdin'], { env }).trim();
    const [before, after] = ['before', 'after'].map((message) =>
      git.output(['commit-tree', tree, '-m', message], { env }).trim(),
    );
    const update = (oid: string | undefined, options: string[]) =>
      git.output(['update-ref', ...options, '--stdin'], {
        env,
        input: allNames.map((name) => `option no-deref\nupdate ${name} ${oid}\n`).join(''),
      });
    if (exists) update(before, ['--create-reflog']);
    update(after, ['-m', 'the update']);
    const withReflog = git.output(['reflog', 'list'], { env }).split('\n').filter(Boolean);
    if (withReflog.length === 0) return [];
    return git
      .output(['log', '-g', '--format=%gD %gs', ...withReflog], { env })
      .split('\n')
      .filter((line) => line.endsWith(' the update'))
      .map((line) => line.slice(0, line.indexOf('@')));
  }
});
