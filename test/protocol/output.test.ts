// How an answer is handed on: in large pieces, one at a time, from one buffer unless who takes it keeps the bytes;
// and of any store, not of ours alone.

import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RefReader, RefStore } from '../../src/index.ts';
import { answerLsRefs, type LsRefsRequest, servedRefs } from '../../src/protocol/index.ts';
import { emptyRepository, oid, open } from '../refs/empty-repository.ts';

const REFS = 20_000;
const ALL: LsRefsRequest = { peel: true, symrefs: true, unborn: false, prefixes: [''] };

let store: RefStore;

beforeAll(async () => {
  store = open(emptyRepository());
  const names = Array.from({ length: REFS }, (_, i) => `refs/heads/topic/${i}`);
  await store.transaction(names.map((ref) => ({ type: 'create', ref, newOid: oid('1') })));
  const target = names[0]!;
  await store.transaction([{ type: 'symref-create', ref: 'refs/heads/😀', newTarget: target }]);
  return () => store.close();
});

/** The answer, put together, and the pieces that it came in as they are when it is over. */
async function answer(
  from: RefStore,
  { keepsBytes = false, request = ALL } = {},
): Promise<{ text: string; pieces: Uint8Array[] }> {
  let text = '';
  const pieces: Uint8Array[] = [];
  await answerLsRefs(servedRefs(from), request, {
    keepsBytes,
    write(bytes) {
      text += Buffer.from(bytes).toString();
      pieces.push(bytes);
    },
  });
  return { text, pieces };
}

describe('an answer', () => {
  it('comes in pieces of about 64 KiB', async () => {
    const { text, pieces } = await answer(store);
    expect(pieces.length).toBe(Math.ceil(text.length / 64_500));
    for (const piece of pieces.slice(0, -1)) {
      expect(piece.length).toBeGreaterThan(63 * 1024 - 1);
      expect(piece.length).toBeLessThanOrEqual(64 * 1024);
    }
  });

  it('is in one buffer, or in one for each piece that is kept', async () => {
    const reused = await answer(store);
    expect(new Set(reused.pieces.map(({ buffer }) => buffer)).size).toBe(1);
    const kept = await answer(store, { keepsBytes: true });
    expect(Buffer.concat(kept.pieces).toString()).toBe(reused.text);
  });

  it('waits until a piece was taken, and ends where one was not', async () => {
    let taken = 0;
    let isTaking = false;
    await answerLsRefs(servedRefs(store), ALL, {
      async write() {
        expect(isTaking).toBe(false);
        isTaking = true;
        await setImmediate();
        isTaking = false;
        taken++;
      },
    });
    expect(taken).toBeGreaterThan(10);
    const gone = new Error('gone');
    let asked = 0;
    const leaving = answerLsRefs(servedRefs(store), ALL, {
      write: async () => {
        if (++asked === 3) throw gone;
      },
    });
    await expect(leaving).rejects.toBe(gone);
    expect(asked).toBe(3);
  });

  it('is that of its moment, whatever is written meanwhile', async () => {
    const before = await answer(store);
    let text = '';
    await answerLsRefs(servedRefs(store), ALL, {
      async write(bytes) {
        if (text === '') {
          await store.transaction([
            { type: 'create', ref: 'refs/heads/zzz', newOid: oid('2') },
            { type: 'delete', ref: `refs/heads/topic/${REFS - 1}` },
          ]);
        }
        text += Buffer.from(bytes).toString();
      },
    });
    expect(text).toBe(before.text);
  });

  it('is the same from a store that knows refs alone, and no tables', async () => {
    const plain = (reader: RefReader): RefReader => ({
      read: (name) => reader.read(name),
      resolve: (name) => reader.resolve(name),
      *refs(options) {
        yield* reader.refs(options);
      },
      refsPointingAt: (id) => reader.refsPointingAt(id),
      reflog: (name) => reader.reflog(name),
      hasReflog: (name) => reader.hasReflog(name),
      reflogNames: () => reader.reflogNames(),
    });
    const other = new Proxy(store, {
      get(target, key) {
        if (key !== 'snapshot') return Reflect.get(target, key, target);
        return () => {
          const snapshot = target.snapshot();
          const dispose = () => snapshot.close();
          return { ...plain(snapshot), close: dispose, [Symbol.dispose]: dispose };
        };
      },
    });
    const request = { ...ALL, prefixes: ['refs/heads/topic/12', 'refs/heads/😀'] };
    for (const asked of [ALL, request]) {
      const theirs = await answer(other, { request: asked });
      expect(theirs.text).toBe((await answer(store, { request: asked })).text);
    }
  });
});
