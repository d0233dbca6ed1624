// What a process does in an interleaving: it counts a branch up, with a tag for each of its steps, and tells what was
// acknowledged; or it merges all tables.

import { RefError } from '../../errors.ts';
import type { ReftableStore } from '../../refs/reftable-store.ts';
import { randomFrom } from '../random.ts';
import { BRANCH } from './expected-refs.ts';
import { openSimulatedStore, STACK_FOLDER } from './simulated-repository.ts';
import type { ProcessView, Program } from './stepped-process.ts';

/** How often a process tries what another one is in the way of: more often than others go on. */
const MOST_TRIES = 12;

/** The program of the `number`th process; `kind` in [0, 1) says which. */
export function programOf(number: number, kind: number, seed: number): Program {
  return async (view) => {
    const { fs, machine, mount } = view;
    const random = randomFrom(seed);
    const folder = mount + STACK_FOLDER;
    const store = openSimulatedStore(fs, machine, { folder, random, autoCompaction: kind < 0.7 });
    try {
      if (kind >= 0.8) await patiently(view, () => store.optimize());
      else for (const step of kind < 0.3 ? [1] : [1, 2]) await count(view, store, number, step);
      await store.idle();
    } finally {
      store.close();
    }
  };
}

/** The object that a step of a process sets refs to. */
function oidOf(number: number, step: number): string {
  return `${number}${step}`.padEnd(40, 'f');
}

async function count(view: ProcessView, store: ReftableStore, number: number, step: number) {
  const newOid = oidOf(number, step);
  const tag = `refs/tags/${newOid}`;
  view.tell(`asks ${newOid}`);
  await patiently(view, async () => {
    const oldOid = store.read(BRANCH)?.oid;
    await store.transaction(
      [
        oldOid === undefined
          ? { type: 'create', ref: BRANCH, newOid }
          : { type: 'update', ref: BRANCH, newOid, oldOid },
        { type: 'create', ref: tag, newOid },
      ],
      { message: newOid },
    );
  });
  view.tell(`has ${newOid}`);
  if (store.read(tag)?.oid !== newOid) view.tell(`fails: ${tag} is not there after its commit`);
}

/** Tries until nobody is in the way. */
async function patiently(view: ProcessView, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work();
      return;
    } catch (error) {
      const isInTheWay = error instanceof RefError && IN_THE_WAY.has(error.code);
      if (!isInTheWay || tries === MOST_TRIES) throw error;
      if (error.code === 'LOCKED') await view.pause();
    }
  }
}

const IN_THE_WAY: ReadonlySet<string> = new Set(['LOCKED', 'EXPECTED_OLD_VALUE']);
