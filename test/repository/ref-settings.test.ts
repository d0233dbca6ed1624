// The settings of a store have Git's limits, and what is wrong with one is said in Git's words. Where core.fsync
// names the refs, or names them out, they are synced or not, as by Git; else they are.

import * as fs from 'node:fs';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { RefError } from '../../src/errors.ts';
import { parseConfig } from '../../src/repository/config.ts';
import { parseFsync } from '../../src/repository/fsync-settings.ts';
import { openRefStore } from '../../src/repository/open-ref-store.ts';
import { refSettings, tableSettings } from '../../src/repository/ref-settings.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.mock('node:fs', { spy: true });

const settingsOf = (text: string, env = {}) => {
  const config = parseConfig(text, '/repo/config');
  return { ...refSettings(config, env), table: tableSettings(config) };
};

describe('the settings of a store', () => {
  it('are left to the writer where nobody says anything', () => {
    expect(settingsOf('[reftable]\nblockSize = 0\n')).toEqual({
      table: {
        blockSize: undefined,
        restartInterval: undefined,
        indexObjects: true,
        geometricFactor: undefined,
        lockTimeout: 100,
      },
      autoCompaction: true,
      logAllRefUpdates: 'unset',
      fileMode: undefined,
      fsync: true,
    });
  });

  it('are those that were said last', () => {
    const text =
      '[reftable]\nblockSize = 1k\nblockSize = 0x800\nlockTimeout = -1\nindexObjects = no\n' +
      'restartInterval = 020\ngeometricFactor = 255\n[core]\nlogAllRefUpdates = Always\n';
    expect(settingsOf(text)).toMatchObject({
      table: {
        blockSize: 2048,
        restartInterval: 16,
        indexObjects: false,
        geometricFactor: 255,
        lockTimeout: -1,
      },
      logAllRefUpdates: 'always',
    });
  });

  it('merge no tables where a variable for tests says so', () => {
    expect(settingsOf('', { GIT_TEST_REFTABLE_AUTOCOMPACTION: '0' }).autoCompaction).toBe(false);
    expect(() => settingsOf('', { GIT_TEST_REFTABLE_AUTOCOMPACTION: 'x' })).toThrow(
      "bad boolean environment value 'x' for 'GIT_TEST_REFTABLE_AUTOCOMPACTION'",
    );
  });
});

describeWithGit('beside Git', () => {
  let original: string;
  beforeAll(() => {
    original = join(temporaryFolder(), 'original');
    git.output(['init', '-q', '--bare', '--template=', '--ref-format=reftable', original]);
  });

  /** How a command ends with a configuration of its own, in Git's words. */
  function ours(gitDir: string): string {
    try {
      openRefStore(gitDir, { env: { GIT_CONFIG_NOSYSTEM: '1' } }).close();
      return '';
    } catch (error) {
      const { message, cause } = error as RefError;
      return `${cause instanceof RefError ? `error: ${cause.message}\n` : ''}fatal: ${message}\n`;
    }
  }

  const values = [
    'x',
    '',
    '-1',
    '1k',
    '0',
    '99999999999999999999',
    '1x',
    ' 5',
    '5 k',
    '0x10',
    '08',
    '1g',
  ];
  const settings = [
    ...['blockSize', 'restartInterval', 'geometricFactor', 'lockTimeout', 'indexObjects'].flatMap(
      (name) => [
        ...values.map((value) => `[reftable]\n${name} = "${value}"\n`),
        `[reftable]\n${name}\n`,
      ],
    ),
    '[reftable]\nblockSize = 16777215\n',
    '[reftable]\nblockSize = 16777216\n',
    '[reftable]\nrestartInterval = 65535\n',
    '[reftable]\nrestartInterval = 65536\n',
    '[reftable]\ngeometricFactor = 255\n',
    '[reftable]\ngeometricFactor = 256\n',
    '[reftable]\nlockTimeout = -2\n',
    '[reftable]\nlockTimeout = 9223372036854775807\n',
    '[reftable]\nlockTimeout = 9223372036854775808\n',
    '[reftable]\nlockTimeout = -9223372036854775809\n',
    '[reftable]\nblockSize = 18446744073709551615\n',
    '[reftable]\nblockSize = 18446744073709551616\n',
    '[reftable]\nblockSize = x\nblockSize = 4096\n',
    '[reftable]\nlockTimeout = x\n[reftable]\nblockSize = x\n',
    ...['always', 'ALWAYS', 'alway', 'true', '2', '', 'maybe', '1x'].map(
      (value) => `[core]\nlogAllRefUpdates = ${value}\n`,
    ),
    '[core]\nlogAllRefUpdates\n',
    '[core]\nlogAllRefUpdates = maybe\nlogAllRefUpdates = true\n',
    ...['', 'group', 'x', '07', '0600', '-1', '1', '3'].map(
      (value) => `[core]\nsharedRepository = ${value}\n`,
    ),
    '[core]\nsharedRepository\n',
    '[core]\nsharedRepository = x\nsharedRepository = group\n',
  ];

  it.each(settings)('%j', (text) => {
    const gitDir = join(temporaryFolder(), 'repo');
    cpSync(original, gitDir, { recursive: true });
    fs.appendFileSync(join(gitDir, 'config'), text);
    const { stderr } = git.run(['refs', 'list'], { cwd: '/', env: { GIT_DIR: gitDir } });
    expect(ours(gitDir)).toBe(stderr);
  });

  it.each([
    'reference',
    'all',
    'ref',
    'none,reference',
    'a',
    '-a,r',
    'reference,-reference',
    'committed, none',
    'none',
    '-reference',
    '-committed',
    'x, none',
  ])('core.fsync = %s', async (value) => {
    const folder = temporaryFolder();
    const gitDir = join(folder, 'repo');
    cpSync(original, gitDir, { recursive: true });
    const trace = join(folder, 'trace');
    const { stderr } = git.run(
      ['-c', `core.fsync=${value}`, 'symbolic-ref', 'HEAD', 'refs/heads/two'],
      { cwd: gitDir, env: { GIT_TRACE2_EVENT: trace } },
    );
    const isSynced = /"hardware-flush"/.test(readFileSync(trace, 'utf8'));
    const entry = { key: 'core.fsync', value, scope: 'command' as const };
    expect(parseFsync(entry)).toEqual({
      references: isSynced,
      warnings: stderr
        .split('\n')
        .slice(0, -1)
        .map((line) => line.replace('warning: ', '')),
    });

    rmSync(gitDir, { recursive: true });
    cpSync(original, gitDir, { recursive: true });
    const env = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_PARAMETERS: `'core.fsync'='${value}'` };
    using store = openRefStore(gitDir, { env });
    vi.mocked(fs.fsync).mockClear();
    await store.transaction([{ type: 'symref-update', ref: 'HEAD', newTarget: 'refs/heads/two' }]);
    expect(vi.mocked(fs.fsync).mock.calls.length > 0).toBe(isSynced);
  });

  it('syncs where core.fsync names other things alone, and not where GIT_TEST_FSYNC says no', () => {
    for (const value of ['index', 'loose-object', 'x', '']) {
      expect(settingsOf(`[core]\nfsync = ${value}\n`).fsync).toBe(true);
    }
    expect(settingsOf('[core]\nfsync = all\n', { GIT_TEST_FSYNC: 'false' }).fsync).toBe(false);
  });
});
