// Whose hooks are run, and what a hook of a library's store gets and holds up.

import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openBackend } from '../../src/repository/backend.ts';
import { parseConfig } from '../../src/repository/config.ts';
import { assertOwned } from '../../src/repository/ownership.ts';
import { emptyRepository, oid, open } from '../refs/empty-repository.ts';

const A = oid('a');
const MAIN = { type: 'create', ref: 'refs/heads/main', newOid: A } as const;

let gitDir: string;
beforeEach(() => {
  gitDir = emptyRepository();
});

function install(text: string): void {
  mkdirSync(join(gitDir, 'hooks'), { recursive: true });
  const file = join(gitDir, 'hooks/reference-transaction');
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

it('runs in the folder of a bare repository, which it is told by GIT_DIR', async () => {
  install(
    'echo "$1 $GIT_DIR" >> told; cat >> told; if test -e reftable/tables.list.lock; then echo locked >> told; fi',
  );
  using store = open(gitDir);
  await store.transaction([MAIN]);
  const line = `${oid('0')} ${A} refs/heads/main`;
  expect(readFileSync(join(gitDir, 'told'), 'utf8').split('\n').slice(0, -1)).toEqual([
    `preparing ${gitDir}`,
    line,
    `prepared ${gitDir}`,
    line,
    'locked',
    `committed ${gitDir}`,
    line,
  ]);
});

it('may come and go while a store is open', async () => {
  using store = open(gitDir);
  await store.transaction([MAIN]);
  install('exit 1');
  const refused = { code: 'HOOK_DECLINED', message: /in 'preparing' phase/ };
  const remove = { type: 'delete', ref: MAIN.ref } as const;
  await expect(store.transaction([remove])).rejects.toMatchObject({ code: refused.code });
  await expect(store.prepare([remove])).rejects.toThrow(refused.message);
  chmodSync(join(gitDir, 'hooks/reference-transaction'), 0o644);
  await store.transaction([remove]);
  expect(store.read(MAIN.ref)).toBeUndefined();
});

it('is asked for each of the transactions that are called for at once', async () => {
  install('echo "$1" >> told');
  using store = open(gitDir, { lockTimeout: -1 });
  const names = ['a', 'b', 'c'].map((name) => `refs/heads/${name}`);
  await Promise.all(names.map((ref) => store.transaction([{ ...MAIN, ref }])));
  const states = readFileSync(join(gitDir, 'told'), 'utf8').trimEnd().split('\n');
  expect(states.sort()).toEqual(
    ['committed', 'prepared', 'preparing'].flatMap((state) => [state, state, state]),
  );
  expect(Array.from(store.refs(), ({ name }) => name)).toEqual(names);
});

it('is asked about a reflog that is written by itself, and told nothing', async () => {
  install('echo "$1" >> told; cat >> told; test "$1" != "$REFUSES"');
  using store = open(gitDir);
  const entry = { oldOid: oid('0'), newOid: A, message: 'why' };
  await store.writeReflogEntry(MAIN.ref, entry);
  const told = () => readFileSync(join(gitDir, 'told'), 'utf8').trimEnd().split('\n');
  expect(told()).toEqual(['preparing', 'prepared', 'committed']);
  using refused = open(gitDir, {
    env: { REFUSES: 'prepared', GIT_COMMITTER_NAME: 'C', GIT_COMMITTER_EMAIL: 'c@example.com' },
  });
  await expect(refused.writeReflogEntry(MAIN.ref, entry)).rejects.toThrow(/in 'prepared' phase/);
  expect(told().slice(3)).toEqual(['preparing', 'prepared', 'aborted']);
  expect([...store.reflog(MAIN.ref)]).toHaveLength(1);
});

it('gives the lock back where the hook says no at the last moment', async () => {
  install('test "$1" != prepared');
  using store = open(gitDir);
  await expect(store.transaction([MAIN])).rejects.toThrow(/in 'prepared' phase/);
  expect(existsSync(join(gitDir, 'reftable/tables.list.lock'))).toBe(false);
  expect(store.read(MAIN.ref)).toBeUndefined();
});

it('is not run for a stranger, where the repository was come upon', () => {
  const config = (text: string, scope: 'global' | 'local') => parseConfig(text, 'config', scope);
  const stranger = statSync(gitDir).uid + 1;
  const trusting = `[safe]\ndirectory = ${gitDir}\n`;
  expect(() => assertOwned(gitDir, config('', 'local'))).not.toThrow();
  expect(() => assertOwned(gitDir, config(trusting, 'local'), stranger)).toThrow(
    `detected dubious ownership in repository at '${gitDir}'`,
  );
  expect(() => assertOwned(gitDir, config(trusting, 'global'), stranger)).not.toThrow();
  const withdrawn = `${trusting}directory =\n`;
  expect(() => assertOwned(gitDir, config(withdrawn, 'global'), stranger)).toThrow();
});

it('hinders no reader, however wrong its configuration is', () => {
  writeFileSync(
    join(gitDir, 'config'),
    `${readFileSync(join(gitDir, 'config'), 'utf8')}
[hook "x"]\n\tevent = reference-transaction\n`,
  );
  using store = openBackend(gitDir, { env: { HOME: gitDir } });
  expect([...store.refs()]).toEqual([]);
});
