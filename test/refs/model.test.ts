// Any sequence of transactions on a store answers as Maps do.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RefReader, RefSnapshot, RefStore, RefUpdate } from '../../src/index.ts';
import { emptyRepository, oid, open } from './empty-repository.ts';
import { byBytes, Model } from './model.ts';

/** Names in each other's way, and names that UTF-16 and bytes order in different ways. */
const ENDS = ['a', 'a/b', 'a/b/c', 'a-b', 'a.b', 'é', '😀', '～', '\udcff', 'a\udce9'];
const NAMES = [
  ...ENDS.map((end) => `refs/heads/${end}`),
  ...['a', 'a/b', '😀'].map((end) => `refs/tags/${end}`),
];
const OIDS = ['1', '2', 'f'].map(oid);
const ZERO = oid('0');

const ref = fc.constantFrom(...NAMES);
const newOid = fc.constantFrom(...OIDS);
const oldOid = fc.option(fc.constantFrom(...OIDS), { nil: undefined });
const target = fc.constantFrom(...NAMES, 'refs/heads/absent');
const oldTarget = fc.option(target, { nil: undefined });
const deref = fc.constant(false);

const update: fc.Arbitrary<RefUpdate> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('create'), ref, newOid, deref }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('update'), ref, newOid, deref }) },
  fc.record({ type: fc.constant('update'), ref, newOid, oldOid, deref }),
  fc.record({ type: fc.constant('update'), ref, newOid: fc.constant(ZERO), deref }),
  { weight: 4, arbitrary: fc.record({ type: fc.constant('delete'), ref, deref }) },
  fc.record({ type: fc.constant('delete'), ref, oldOid, deref }),
  fc.record({ type: fc.constant('verify'), ref, oldOid, deref }),
  fc.record({ type: fc.constant('symref-create'), ref, newTarget: target }),
  fc.record({ type: fc.constant('symref-update'), ref, newTarget: target, oldTarget }),
  fc.record({ type: fc.constant('symref-delete'), ref, oldTarget }),
  fc.record({ type: fc.constant('symref-verify'), ref, oldTarget }),
);
const transactions = fc.array(fc.array(update, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 30,
});

function expectAnswers(reader: RefReader, model: Model): void {
  const names = [...model.refs.keys()].sort(byBytes);
  const all = names.map((name) => model.refs.get(name)!);
  expect([...reader.refs({ includeRoot: true })]).toEqual(all);
  for (const name of [...NAMES, 'HEAD']) {
    expect(reader.read(name)).toEqual(model.refs.get(name));
    expect([...reader.reflog(name)]).toEqual(model.reflog(name));
    expect(reader.hasReflog(name)).toBe(model.logs.has(name));
  }
  expect([...reader.reflogNames()]).toEqual([...model.logs.keys()].sort(byBytes));
  for (const value of OIDS) {
    expect([...reader.refsPointingAt(value)]).toEqual(all.filter((ref) => ref.oid === value));
  }
  for (const name of ['refs/heads/a', 'refs/heads/a/', 'refs/heads/～', 'refs/heads/😀']) {
    const below = all.filter((ref) => ref.name.startsWith(name));
    expect([...reader.refs({ prefix: name })]).toEqual(below);
    const behind = all.filter((ref) => byBytes(ref.name, name) > 0 && ref.name !== 'HEAD');
    expect([...reader.refs({ after: name })]).toEqual(behind);
  }
  for (const { name } of all) {
    let resolved: unknown = 'a circle';
    try {
      resolved = reader.resolve(name);
    } catch (error) {
      expect(error).toMatchObject({ code: 'SYMREF_DEPTH', ref: name });
    }
    expect(resolved === 'a circle' ? undefined : resolved).toEqual(model.resolve(name));
  }
}

/** Makes a transaction and expects of it, and of the store after it, what the model says. */
async function step(store: RefStore, model: Model, updates: RefUpdate[], message: string) {
  const next = model.after(updates, message);
  let updateIndex: number | undefined;
  try {
    ({ updateIndex } = await store.transaction(updates, { message }));
    expect(next, 'it should have been refused').toBeDefined();
  } catch (error) {
    if (next !== undefined) throw error;
    expect(['EXPECTED_OLD_VALUE', 'NAME_CONFLICT']).toContain((error as { code: string }).code);
  }
  const after = next ?? model;
  expect(updateIndex).toBe(after === model ? undefined : after.updateIndex);
  expectAnswers(store, after);
  return after;
}

describe('a store', () => {
  it('answers as Maps do after any transactions, and its snapshots stay as they were', async () => {
    const run = async (sequence: RefUpdate[][]) => {
      using store = open(emptyRepository('[core]\nlogAllRefUpdates = true\n'));
      const target = 'refs/heads/a';
      await store.transaction([{ type: 'symref-create', ref: 'HEAD', newTarget: target }]);
      const head = { name: 'HEAD', target, updateIndex: 1 };
      let model = new Model(new Map([['HEAD', head]]), new Map(), 1);
      const snapshots: { snapshot: RefSnapshot; model: Model }[] = [];
      for (const [i, updates] of sequence.entries()) {
        if (i % 8 === 3) snapshots.push({ snapshot: store.snapshot(), model });
        model = await step(store, model, updates, `transaction ${i}`);
      }
      for (const { snapshot, model: then } of snapshots) {
        expectAnswers(snapshot, then);
        snapshot.close();
      }
    };
    await fc.assert(fc.asyncProperty(transactions, run), { numRuns: 20 });
  });
});
