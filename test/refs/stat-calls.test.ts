// How often a transaction asks for the status of a file does not depend on how many refs it changes, whatever
// they are and whatever the configuration says of reflogs: while the lock is held, nothing can change.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it } from 'vitest';
import type { RefUpdate } from '../../src/index.ts';
import { emptyRepository, oid, open } from './empty-repository.ts';

const ASKING = ['statSync', 'lstatSync', 'fstatSync', 'accessSync', 'existsSync'] as const;
const FEW = 3;
const MANY = 400;

const originals = ASKING.map((name) => [name, fs[name]] as const);
let calls = 0;

/** Counts from here on, until the test ends. */
function count(): void {
  calls = 0;
  for (const [name, original] of originals) {
    const counting = (...args: unknown[]) => {
      calls++;
      return Reflect.apply(original, fs, args);
    };
    Object.assign(fs, { [name]: counting });
  }
  syncBuiltinESMExports();
}

function countNoMore(): void {
  Object.assign(fs, Object.fromEntries(originals));
  syncBuiltinESMExports();
}

afterEach(countNoMore);

const MODES = [undefined, 'false', 'true', 'always'];
const FOLDERS = ['refs/heads/', 'refs/tags/', 'refs/notes/', 'refs/remotes/origin/'];

describe.each(MODES)('with core.logAllRefUpdates %s', (mode) => {
  it.each(FOLDERS)(
    'a transaction over %s asks as often for many refs as for few',
    async (folder) => {
      const setting = mode === undefined ? '' : `[core]\nlogAllRefUpdates = ${mode}\n`;
      /** The calls of a transaction that creates so many refs, of one that changes and of one that deletes them. */
      const asked = async (refs: number) => {
        const gitDir = emptyRepository(setting);
        const names = Array.from({ length: refs }, (_, i) => `${folder}name-${i}`);
        const counts: number[] = [];
        for (const digit of ['1', '2', '0']) {
          const updates = names.map(
            (ref): RefUpdate => ({ type: 'update', ref, newOid: oid(digit) }),
          );
          const store = open(gitDir, { autoCompaction: false });
          count();
          await store.transaction(updates);
          countNoMore();
          store.close();
          counts.push(calls);
        }
        return counts;
      };
      const [few, many] = [await asked(FEW), await asked(MANY)];
      expect(Math.min(...few)).toBeGreaterThan(0);
      expect(many).toEqual(few);
    },
  );
});
