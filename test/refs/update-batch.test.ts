// What a transaction is given: what is taken as it is, what is made the same, and what is refused.

import { beforeEach, describe, expect, it } from 'vitest';
import { encodeText } from '../../src/format/text.ts';
import type { Identity, RefStore, RefUpdate } from '../../src/index.ts';
import { plainRefNameEnd } from '../../src/refs/ref-name.ts';
import { UpdateBatch } from '../../src/refs/transaction/update-batch.ts';
import { EXPECTS_OID } from '../../src/refs/transaction/update-flags.ts';
import { ANN, emptyRepository, oid, open } from './empty-repository.ts';

const NEW = oid('a');
const ZERO = oid('0');

/** What adding it is refused with. */
function refusal(update: unknown): unknown {
  const batch = new UpdateBatch('sha1');
  batch.add({ type: 'create', ref: 'refs/heads/first', newOid: NEW });
  try {
    batch.add(update as RefUpdate);
  } catch (error) {
    expect(batch.count).toBe(1);
    return error;
  }
  throw new Error('it was accepted');
}

describe('an update', () => {
  it.each([
    ['newOid', { type: 'create', newOid: 'abc' }, "newOid: expected 40 hex digits, found 'abc'"],
    ['newOid', { type: 'create', newOid: 'a'.repeat(64) }, 'newOid: expected 40 hex digits'],
    ['newOid', { type: 'update', newOid: 'g'.repeat(40) }, 'newOid: expected 40 hex digits'],
    ['newOid', { type: 'update', newOid: '１'.repeat(40) }, 'newOid: expected 40 hex digits'],
    ['newOid', { type: 'update' }, "newOid: expected 40 hex digits, found 'undefined'"],
    ['newOid', { type: 'update', newOid: 7 }, "newOid: expected 40 hex digits, found '7'"],
    ['newOid', { type: 'create', newOid: ZERO }, 'newOid: expected an object id, found zeros'],
    ['oldOid', { type: 'update', newOid: NEW, oldOid: 'x' }, 'oldOid: expected 40 hex digits'],
    ['oldOid', { type: 'delete', oldOid: null }, "oldOid: expected 40 hex digits, found 'null'"],
    ['oldOid', { type: 'delete', oldOid: ZERO }, 'oldOid: expected an object id, found zeros'],
    ['oldOid', { type: 'verify', oldOid: '' }, 'oldOid: expected 40 hex digits'],
    ['type', { type: 'destroy' }, "type: expected one of an update, found 'destroy'"],
    ['type', {}, "type: expected one of an update, found 'undefined'"],
    [
      'deref',
      { type: 'symref-delete', oldTarget: 'refs/heads/b', deref: true },
      'deref: expected false for an old target, found true',
    ],
    [
      'oldOid',
      { type: 'symref-update', newTarget: 'refs/x', oldTarget: 'refs/y', oldOid: NEW },
      'expected oldOid or oldTarget, found both',
    ],
  ])('is refused for its %s: %j', (_, fields, message) => {
    expect(refusal({ ref: 'refs/heads/a', ...fields })).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(`'refs/heads/a': ${message}`),
      ref: 'refs/heads/a',
    });
  });

  it.each([undefined, null, 7, {}])('is refused for a name that is no string: %j', (ref) => {
    expect(refusal({ type: 'create', ref, newOid: NEW })).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it.each([undefined, null, 'create refs/heads/a'])('is refused if it is none: %j', (update) => {
    expect(refusal(update)).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it.each([
    '',
    'refs/heads/',
    'refs/heads/a..b',
    'refs/heads/a b',
    'refs/heads/a.lock',
    'refs/heads/NUL\0inside',
    'refs/heads/line\nfeed',
    'refs/heads/lone\ud800',
    'refs/heads/lone\udc00',
    'refs/heads/\udcc3\udca9',
    '@',
  ])('is refused for the name %j', (ref) => {
    expect(refusal({ type: 'create', ref, newOid: NEW })).toMatchObject({
      code: 'BAD_NAME',
      message: `refusing to update ref with bad name '${ref}'`,
      ref,
    });
  });

  it.each(['', 'refs/heads/a..b', 'refs/heads/\ud800', undefined, 7])(
    'is refused for the target %j',
    (newTarget) => {
      const update = { type: 'symref-update', ref: 'refs/heads/a', newTarget };
      expect(refusal(update)).toMatchObject({
        code: 'BAD_NAME',
        message: `refusing to set 'refs/heads/a' to invalid ref '${newTarget}'`,
      });
    },
  );

  it.each(['FETCH_HEAD', 'MERGE_HEAD'])('is refused for %s, which is always a file', (ref) => {
    for (const update of [
      { type: 'create', newOid: NEW },
      { type: 'delete' },
      { type: 'verify' },
    ]) {
      expect(refusal({ ref, ...update })).toMatchObject({
        code: 'BAD_NAME',
        message: `refusing to update pseudoref '${ref}'`,
      });
    }
  });

  it('may delete and verify a bad name that leads nowhere else, but not others', () => {
    const batch = new UpdateBatch('sha1');
    batch.add({ type: 'delete', ref: 'refs/heads/a..b' });
    batch.add({ type: 'verify', ref: 'refs/heads/a b' });
    expect(batch.count).toBe(2);
    for (const ref of ['refs/heads/../a', 'refs//a', 'config', '../x']) {
      expect(refusal({ type: 'delete', ref })).toMatchObject({ code: 'BAD_NAME', ref });
    }
  });
});

describe('an update whose ref is another one each time', () => {
  it('is checked as it is written', () => {
    const answers = ['refs/heads/../../bad', 'refs/heads/fine'];
    const update = {
      type: 'create',
      newOid: NEW,
      get ref() {
        return answers.shift() ?? 'refs/heads/fine';
      },
    } as RefUpdate;
    expect(() => new UpdateBatch('sha1').add(update)).toThrow('bad name');
  });
});

describe('addPlain', () => {
  const types = ['create', 'update', 'delete', 'verify'] as const;
  const names = ['refs/heads/a', 'refs/tags/é', 'refs/x', 'HEAD', 'refs/heads/a..b', 'refs/a.lock'];
  const ids = [NEW, NEW.toUpperCase(), ZERO, 'g'.repeat(40), undefined];

  it('adds what add does, or nothing', () => {
    let added = 0;
    for (const type of types) {
      for (const ref of names) {
        for (const newOid of type === 'create' || type === 'update' ? ids : [undefined]) {
          for (const oldOid of type === 'create' ? [undefined] : ids) {
            for (const deref of [true, false]) {
              const plain = new UpdateBatch('sha1');
              const full = new UpdateBatch('sha1');
              const lead = 'x'.repeat(3);
              const bytes = encodeText(`${lead}${ref} ${newOid ?? ''} ${oldOid ?? ''}`);
              const end = lead.length + encodeText(ref).length;
              const newAt = newOid === undefined ? -1 : end + 1;
              const oldAt = oldOid === undefined ? -1 : end + 1 + (newOid?.length ?? 0) + 1;
              // A line without its new id is no command.
              if (newOid === undefined && (type === 'create' || type === 'update')) continue;
              const isPlain = plainRefNameEnd(bytes, lead.length, bytes.length) === end;
              const wasAdded =
                isPlain && plain.addPlain(type, bytes, lead.length, end, newAt, oldAt, deref);
              expect(plain.count).toBe(wasAdded ? 1 : 0);
              if (!wasAdded) continue;
              added++;
              full.add({ type, ref, newOid, oldOid, deref } as RefUpdate);
              expect(contentsOf(plain)).toEqual(contentsOf(full));
            }
          }
        }
      }
    }
    // Else everything might have been refused.
    expect(added).toBeGreaterThan(80);
  });

  it('leaves nothing behind of what it does not add', () => {
    const batch = new UpdateBatch('sha1');
    const bytes = encodeText(`refs/heads/a ${NEW} ${NEW} ${'g'.repeat(40)}`);
    expect(batch.addPlain('update', bytes, 0, 12, 13, 95, true)).toBe(false);
    expect(batch.addPlain('update', bytes, 0, 12, 13, -1, true)).toBe(true);
    const full = new UpdateBatch('sha1');
    full.add({ type: 'update', ref: 'refs/heads/a', newOid: NEW });
    expect(contentsOf(batch)).toEqual(contentsOf(full));
  });
});

function contentsOf(batch: UpdateBatch) {
  const entries = Array.from({ length: batch.count }, (_, i) => ({
    name: batch.name(i),
    newOid: batch.newOid(i),
    oldOid: batch.has(i, EXPECTS_OID) ? batch.oldOid(i) : undefined,
    flags: batch.flags[i],
    targets: batch.targets.get(i),
  }));
  return { entries, isAscending: batch.isAscending };
}

describe('a transaction', () => {
  let store: RefStore;
  beforeEach(() => {
    store = open(emptyRepository());
    return () => store.close();
  });

  const create = (ref: string, options: Parameters<RefStore['transaction']>[1] = {}) =>
    store.transaction([{ type: 'create', ref, newOid: NEW }], { createReflog: true, ...options });

  it('stores object ids in lower case, and finds them by upper case', async () => {
    const newOid = 'ABCDEF01'.repeat(5);
    await store.transaction([{ type: 'create', ref: 'refs/heads/a', newOid }]);
    expect(store.read('refs/heads/a')?.oid).toBe(newOid.toLowerCase());
    await store.transaction([{ type: 'update', ref: 'refs/heads/a', newOid: NEW, oldOid: newOid }]);
    expect(store.read('refs/heads/a')?.oid).toBe(NEW);
  });

  it('of nothing does nothing', async () => {
    expect(await store.transaction([])).toMatchObject({ updateIndex: undefined });
    expect(await store.transaction(new UpdateBatch('sha1'))).toMatchObject({
      updateIndex: undefined,
    });
  });

  it.each([undefined, null, 'all', { type: 'delete', ref: 'refs/heads/a' }])(
    'is refused without an array of updates: %j',
    async (updates) => {
      const transaction = store.transaction(updates as unknown as RefUpdate[]);
      await expect(transaction).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    },
  );

  it('is refused for a message that is no string', async () => {
    await expect(create('refs/heads/a', { message: 7 as unknown as string })).rejects.toMatchObject(
      {
        code: 'INVALID_ARGUMENT',
        message: 'message: expected a string, found 7',
      },
    );
  });

  it('takes a batch, which stands for its updates', async () => {
    const batch = new UpdateBatch('sha1');
    batch.add({ type: 'create', ref: 'refs/heads/b', newOid: NEW });
    batch.add({ type: 'create', ref: 'refs/heads/a', newOid: NEW });
    expect(await store.transaction(batch)).toMatchObject({ updateIndex: 1 });
    expect([...store.refs()].map(({ name }) => name)).toEqual(['refs/heads/a', 'refs/heads/b']);
  });

  it('of a batch that refused some updates finds the conflicts of the others', async () => {
    await store.transaction([{ type: 'create', ref: 'refs/heads/a', newOid: NEW }]);
    const batch = new UpdateBatch('sha1');
    batch.add({ type: 'create', ref: 'refs/heads/a-x', newOid: NEW });
    const bad = { type: 'create', ref: 'refs/heads/a/b', newOid: 'bad' } as const;
    expect(() => batch.add(bad)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    batch.add({ type: 'create', ref: 'refs/heads/a/c', newOid: NEW });
    await expect(store.transaction(batch)).rejects.toMatchObject({
      code: 'NAME_CONFLICT',
      message: "'refs/heads/a' exists; cannot create 'refs/heads/a/c'",
    });
  });

  it('finds the conflict of each folder, though folders look alike', async () => {
    await create('refs/heads/bb');
    const names = ['refs/heads/aa/1', 'refs/heads/bb/1'];
    const creations = names.map((ref) => ({ type: 'create', ref, newOid: NEW }) as const);
    await expect(store.transaction(creations)).rejects.toMatchObject({
      code: 'NAME_CONFLICT',
      message: "'refs/heads/bb' exists; cannot create 'refs/heads/bb/1'",
    });
  });

  it.each([
    ['with others between that are only verified', ['aaa', '=aab1', 'aab2', '=abc', 'abd']],
    ['that grow long', Array.from({ length: 40 }, (_, i) => 'n'.repeat(15 * i + 1))],
    ['out of order', ['bb2', 'aa1', 'aa2', 'bb1', 'aa', 'bb3']],
  ])('writes refs and reflogs of names %s', async (_, ends) => {
    const updates = ends.map((end): RefUpdate => {
      const ref = `refs/heads/${end.replace('=', '')}`;
      return end.startsWith('=') ? { type: 'verify', ref } : { type: 'create', ref, newOid: NEW };
    });
    await store.transaction(updates, { createReflog: true });
    const names = updates.filter(({ type }) => type === 'create').map(({ ref }) => ref);
    expect([...store.refs()].map(({ name }) => name)).toEqual(names.toSorted());
    expect([...store.reflogNames()]).toEqual(names.toSorted());
  });

  it('refuses a batch of the other object format', async () => {
    const batch = new UpdateBatch('sha256');
    batch.add({ type: 'create', ref: 'refs/heads/a', newOid: 'a'.repeat(64) });
    await expect(store.transaction(batch)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect([...store.refs()]).toEqual([]);
  });

  it('folds a message to one line, cut to half a block', async () => {
    await create('refs/heads/a', { message: ' two\n\nlines\tand  more \n' });
    await create('refs/heads/b', { message: 'é'.repeat(2 ** 19) });
    await create('refs/heads/c', { message: 'until\0NUL' });
    await create('refs/heads/d');
    const messages = ['a', 'b', 'c', 'd'].map(
      (end) => [...store.reflog(`refs/heads/${end}`)][0]?.message,
    );
    expect(messages).toEqual(['two lines and more', 'é'.repeat(1024), 'until', '']);
  });

  it.each([0, 60, -150, 345, 840, -720, 5 * 60 + 53])(
    'keeps the zone %d minutes east',
    async (timezone) => {
      const committer: Identity = {
        name: 'Zoë',
        email: 'zoë@example.com',
        time: 2 ** 33,
        timezone,
      };
      await create('refs/heads/a', { committer });
      expect([...store.reflog('refs/heads/a')][0]?.committer).toEqual(committer);
    },
  );

  it.each([
    ['name', { name: 7 }],
    ['email', { email: undefined }],
    ['time', { time: 1.5 }],
    ['time', { time: -1 }],
    ['time', { time: Number.NaN }],
    ['timezone', { timezone: Number.NaN }],
    ['timezone', { timezone: 1e9 }],
  ])('refuses a committer for its %s: %j', async (what, fields) => {
    const committer = { ...ANN, ...fields } as Identity;
    await expect(create('refs/heads/a', { committer })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(what),
    });
    expect(store.read('refs/heads/a')).toBeUndefined();
    await create('refs/heads/a');
  });

  it('refuses a record that no block holds, and goes on', async () => {
    const long = `refs/heads/${'n'.repeat(5000)}`;
    await expect(create(long)).rejects.toMatchObject({ code: 'RECORD_TOO_LARGE' });
    expect([...store.refs()]).toEqual([]);
    await create('refs/heads/short');
  });
});
