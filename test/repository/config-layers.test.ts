import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/repository/config-layers.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A folder with the given files, each `[t] where = NAME` and a setting of its own. */
function layeredFolder(names: string[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'repo'));
  writeFileSync(join(folder, 'repo/config'), '[t]\nwhere = local\nlocal = 1\n');
  for (const name of names) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `[t]\nwhere = ${name}\n`);
  }
  return folder;
}

describe('readConfig', () => {
  it('lets the later layer win, and tells where a setting comes from', () => {
    const folder = layeredFolder(['system', 'home/.gitconfig', 'home/.config/git/config']);
    writeFileSync(
      join(folder, 'repo/config'),
      '[t]\nwhere = local\n[extensions]\nworktreeConfig = true\n',
    );
    writeFileSync(join(folder, 'repo/config.worktree'), '[t]\nwhere = worktree\n');
    const config = readConfig(join(folder, 'repo'), {
      env: {
        GIT_CONFIG_SYSTEM: join(folder, 'system'),
        HOME: join(folder, 'home'),
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'T.Where',
        GIT_CONFIG_VALUE_0: 'counted',
        GIT_CONFIG_PARAMETERS: "'t.where'='parameter'",
      },
    });
    expect(config.getAll('t.where')).toEqual([
      'system',
      'home/.config/git/config',
      'home/.gitconfig',
      'local',
      'worktree',
      'counted',
      'parameter',
    ]);
    expect(config.entries.map(({ scope }) => scope)).toEqual([
      'system',
      'global',
      'global',
      'local',
      'local',
      'worktree',
      'command',
      'command',
    ]);
  });

  it('reads the shared file of a linked worktree, and its own only where that is switched on', () => {
    const folder = layeredFolder(['tree/config', 'tree/config.worktree']);
    const commonDir = join(folder, 'repo');
    const config = readConfig(join(folder, 'tree'), {
      env: { GIT_CONFIG_NOSYSTEM: '1' },
      commonDir,
    });
    expect(config.getAll('t.where')).toEqual(['local']);
  });

  it.each([
    [{ GIT_CONFIG_COUNT: 'x' }, 'bogus count in GIT_CONFIG_COUNT'],
    [{ GIT_CONFIG_COUNT: '99999999999' }, 'too many entries in GIT_CONFIG_COUNT'],
    [{ GIT_CONFIG_COUNT: '1' }, 'missing config key GIT_CONFIG_KEY_0'],
    [{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b' }, 'missing config value GIT_CONFIG_VALUE_0'],
    [{ GIT_CONFIG_PARAMETERS: 'a.b=c' }, 'bogus format in GIT_CONFIG_PARAMETERS'],
    [{ GIT_CONFIG_PARAMETERS: "'a=b'" }, 'key does not contain a section: a'],
    [{ GIT_CONFIG_PARAMETERS: "'a.1=b'" }, 'invalid key: a.1'],
    [{ GIT_CONFIG_PARAMETERS: "'=b'" }, 'bogus config parameter: =b'],
  ])('refuses %j', (env, reason) => {
    const folder = temporaryFolder();
    expect(() => readConfig(folder, { env: { GIT_CONFIG_NOSYSTEM: '1', ...env } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: 'unable to parse command-line config',
        cause: expect.objectContaining({ code: 'INVALID_CONFIG', message: reason }),
      }),
    );
  });

  it('refuses a GIT_CONFIG_NOSYSTEM that is no boolean', () => {
    const env = { GIT_CONFIG_NOSYSTEM: 'perhaps' };
    const message = "bad boolean environment value 'perhaps' for 'GIT_CONFIG_NOSYSTEM'";
    expect(() => readConfig(temporaryFolder(), { env })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message }),
    );
  });

  it('says which file it cannot read', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'config'));
    expect(() => readConfig(folder, { env: { GIT_CONFIG_NOSYSTEM: '1' } })).toThrow(
      expect.objectContaining({ code: 'IO', file: join(folder, 'config') }),
    );
  });
});

describeWithGit('beside the layers that Git reads', () => {
  const everyFile = [
    'system',
    'global',
    'home/.gitconfig',
    'home/.config/git/config',
    'xdg/git/config',
  ];
  const environments: Record<string, (folder: string) => Record<string, string>> = {
    'a home folder': (folder) => ({ HOME: join(folder, 'home') }),
    'a home and an XDG folder': (folder) => ({
      HOME: join(folder, 'home'),
      XDG_CONFIG_HOME: join(folder, 'xdg'),
    }),
    'files that are named': (folder) => ({
      HOME: join(folder, 'home'),
      GIT_CONFIG_GLOBAL: join(folder, 'global'),
      GIT_CONFIG_SYSTEM: join(folder, 'system'),
      GIT_CONFIG_NOSYSTEM: 'false',
    }),
    'no system file': (folder) => ({
      GIT_CONFIG_GLOBAL: '',
      GIT_CONFIG_SYSTEM: join(folder, 'system'),
      GIT_CONFIG_NOSYSTEM: 'on',
    }),
    'parameters, quoted': () => ({
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_PARAMETERS: "'t.A.b'='it'\\''s'  't.c'= 't.d=old=style' 't.e' 'T.F g.H'='x'",
    }),
    'counted settings': () => ({
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'T.X.Y',
      GIT_CONFIG_VALUE_0: '',
      GIT_CONFIG_KEY_1: 't.z',
      GIT_CONFIG_VALUE_1: ' v ',
    }),
  };

  it.each(Object.entries(environments))('with %s', (_, environment) => {
    const folder = layeredFolder(everyFile);
    const repository = join(folder, 'repo');
    git.output(['init', '--bare', repository]);
    const env = {
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: undefined,
      GIT_CONFIG_COUNT: undefined,
      ...environment(folder),
    };
    const listed = git.output(['config', '--list', '-z'], {
      cwd: repository,
      env: { ...env, GIT_DIR: repository },
    });
    const ours = readConfig(repository, { env }).entries.map(
      ({ key, value }) => `${key}${value === null ? '' : `\n${value}`}\0`,
    );
    expect(ours.join('')).toBe(listed);
  });
});
