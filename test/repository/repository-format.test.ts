import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RefError } from '../../src/errors.ts';
import { Config, parseConfig } from '../../src/repository/config.ts';
import { repositoryFormat } from '../../src/repository/repository-format.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const version = (number: number) => `[core]\nrepositoryFormatVersion = ${number}\n`;
const extension = (setting: string) => `[extensions]\n${setting}\n`;

function format(text: string, options?: { linkedWorktree?: boolean }) {
  return repositoryFormat(parseConfig(text, '/repo/config'), options);
}

describe('repositoryFormat', () => {
  it('reads a reftable repository', () => {
    const text =
      version(1) +
      extension('refStorage = reftable\nobjectFormat = sha256') +
      '[core]\nbare = true\n';
    expect(format(text)).toEqual({
      objectFormat: 'sha256',
      refStorage: 'reftable',
      bare: true,
      worktreeConfig: false,
    });
  });

  it('takes a repository without a version for the oldest, whatever else is set', () => {
    const text = `[core]\nbare = true\n${extension('refStorage = reftable\nunheardOf = 1')}`;
    expect(format(text)).toEqual({
      objectFormat: 'sha1',
      refStorage: 'files',
      bare: undefined,
      worktreeConfig: false,
    });
  });

  it.each(['noop', 'noop-v1 = 1', 'preciousObjects = true', 'partialClone = origin'])(
    'has nothing against the extension %s',
    (setting) => {
      expect(format(version(1) + extension(setting)).refStorage).toBe('files');
    },
  );

  it.each(['relativeWorktrees = true', 'submodulePathConfig = true'])(
    'has nothing against the extension %s',
    (setting) => {
      expect(format(version(1) + extension(setting)).refStorage).toBe('files');
    },
  );

  it('does not look at what other layers say of extensions', () => {
    const local = parseConfig(version(1), '/repo/config').entries;
    const global = parseConfig(
      extension('refStorage = reftable'),
      '/home/config',
      'global',
    ).entries;
    expect(repositoryFormat(new Config([...global, ...local])).refStorage).toBe('files');
  });

  it('leaves open whether a linked worktree is bare, but for its own settings', () => {
    const text = `${version(0)}bare = true\n`;
    expect(format(text, { linkedWorktree: true }).bare).toBeUndefined();
    expect(format(text + extension('worktreeConfig'), { linkedWorktree: true }).bare).toBe(true);
    const shared = parseConfig(text + extension('worktreeConfig'), '/repo/config').entries;
    const own = parseConfig('[core]\nbare = false\n', '/repo/config.worktree', 'worktree').entries;
    expect(repositoryFormat(new Config([...shared, ...own]), { linkedWorktree: true }).bare).toBe(
      false,
    );
  });

  it.each([
    [version(2), 'Expected git repo version <= 1, found 2'],
    [version(1) + extension('unheardOf = 1'), 'unknown repository extension found:\n\tunheardof'],
    [
      version(1) + extension('one = 1\ntwo = 2'),
      'unknown repository extensions found:\n\tone\n\ttwo',
    ],
    [
      version(0) + extension('refStorage = reftable'),
      'repo version is 0, but v1-only extension found:\n\trefstorage',
    ],
    [
      version(1) + extension('refStorage = reftable:///there'),
      "refs that are stored elsewhere are not supported: 'extensions.refstorage' is 'reftable:///there'",
    ],
    [
      version(1) + extension('compatObjectFormat = sha256'),
      "repositories with a second object format are not supported: 'extensions.compatobjectformat' is 'sha256'",
    ],
  ])('refuses %j', (text, message) => {
    expect(() => format(text)).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_REPOSITORY', message, file: '/repo/config' }),
    );
  });

  it.each([
    ['refStorage = tables', "invalid value for 'extensions.refstorage': 'tables'"],
    ['refStorage = tables://there', "invalid value for 'extensions.refstorage': 'tables://there'"],
    ['objectFormat = md5', "invalid value for 'extensions.objectformat': 'md5'"],
    ['compatObjectFormat = md5', "invalid value for 'extensions.compatobjectformat': 'md5'"],
    ['refStorage', "missing value for 'extensions.refstorage'"],
    ['partialClone', "missing value for 'extensions.partialclone'"],
  ])('refuses %j, and says where it stands', (setting, reason) => {
    expect(() => format(version(1) + extension(setting))).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_REPOSITORY',
        message: 'bad config line 4 in file /repo/config',
        cause: expect.objectContaining({ message: reason }),
      }),
    );
  });
});

/** How a command ends with such a repository, in Git's words. */
function endOf(text: string): string {
  try {
    format(text);
    return '';
  } catch (error) {
    const { message, cause } = error as RefError;
    return `${cause instanceof RefError ? `error: ${cause.message}\n` : ''}fatal: ${message}\n`;
  }
}

describeWithGit('beside what Git makes of the format', () => {
  const settings = [
    version(1),
    version(0),
    version(2),
    version(-5),
    '',
    version(1) + extension('refStorage = reftable'),
    version(1) + extension('objectFormat = sha256'),
    version(1) + extension('refStorage = x'),
    version(1) + extension('objectFormat = x'),
    version(0) + extension('objectFormat = sha256'),
    version(0) + extension('objectFormat = sha1\nrefStorage = reftable'),
    version(0) + extension('preciousObjects'),
    version(0) + extension('worktreeConfig = 1\nunheardOf'),
    version(1) + extension('unheardOf\nalso'),
    version(1) + extension('relativeWorktrees\nsubmodulePathConfig = true\nnoop-v1'),
    '[core]\nrepositoryFormatVersion = 1x\n',
    version(1) + extension('objectFormat'),
    version(1) + extension('partialClone'),
    version(1) + extension('compatObjectFormat = x'),
    version(1) + extension('worktreeConfig = x'),
  ];

  it.each(settings)('%j', (text) => {
    const folder = temporaryFolder();
    git.output(['init', '--bare', folder]);
    writeFileSync(join(folder, 'config'), text);
    const { code, stdout, stderr } = git.run(
      ['rev-parse', '--show-object-format', '--show-ref-format'],
      { cwd: folder, env: { GIT_DIR: folder } },
    );
    if (code === 0) {
      const { objectFormat, refStorage } = format(text);
      expect(`${objectFormat}\n${refStorage}\n`).toBe(stdout);
    } else {
      const words = stderr.replaceAll(` in file ${folder}/config`, ' in file /repo/config');
      expect(endOf(text)).toBe(words);
    }
  });
});
