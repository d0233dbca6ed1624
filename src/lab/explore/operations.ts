// What is explored: the kinds of operations that change a stack. A further kind is a further entry of the table.

import { createOwned } from '../../stack/lock/record.ts';
import type { FileSystem } from '../../storage/file-system.ts';
import type { Session } from './session.ts';
import { STACK_FOLDER } from './simulated-repository.ts';

export interface Operation {
  /** Brings the repository into the state in which the operation finds it. */
  prepare(session: Session): Promise<void>;
  /** Carries it out; what is asked for goes through `Session.ask`. */
  run(session: Session): Promise<void>;
}

const append: Operation = {
  // Behind a table so large that nothing is merged.
  prepare: (session) => session.transaction(14),
  async run(session) {
    await session.transaction();
    await session.transaction();
  },
};

const groupedAppend: Operation = {
  prepare: append.prepare,
  async run(session) {
    await Promise.all([session.transaction(), session.transaction(), session.transaction()]);
    await Promise.all([session.transaction(), session.transaction()]);
  },
};

/** Once merged into the append, once apart from it. */
const automaticCompaction: Operation = {
  prepare: (session) => appendTables(session, session.number(3, 5)),
  async run(session) {
    session.reopen({ autoCompaction: session.random() < 0.5 });
    await Promise.all([session.store.optimize({ auto: true }), session.transaction()]);
    session.reopen({ autoCompaction: true });
    await session.transaction();
    await session.transaction();
    await session.store.idle();
  },
};

const fullCompaction: Operation = {
  prepare: (session) => appendTables(session, session.number(2, 5)),
  async run(session) {
    if (session.random() < 0.5) await session.store.optimize();
    else await Promise.all([session.store.optimize(), session.transaction()]);
  },
};

const clean: Operation = {
  async prepare(session) {
    await appendTables(session, session.number(1, 3));
    const tables = session.memory.list(STACK_FOLDER).filter((name) => name.endsWith('.ref'));
    const [oldest] = tables.sort();
    const bytes = session.memory.files().get(`${STACK_FOLDER}/${oldest}`)!.bytes;
    const first = oldest!.slice(0, -'00000000.ref'.length);
    addFile(session.memory, `${first}0000000a.ref`, bytes);
    addFile(session.memory, `${first}0000000b.temp.aaaaaa`, bytes.subarray(9));
    addFile(session.memory, 'tables.list.temp.aaaaaa', new Uint8Array());
    addDeadLock(session, `${first}0000000a.ref.lock`);
  },
  async run(session) {
    await session.store.optimize({ auto: true });
    await session.transaction();
  },
};

const reflogExpiry: Operation = {
  prepare: (session) => appendTables(session, session.number(3, 5)),
  async run(session) {
    const isOdd = (message: string) => /[13579]$/.test(message);
    await session.ask(
      (refs) => refs.expire('HEAD', isOdd),
      () => session.store.expireReflog('HEAD', { shouldExpire: ({ message }) => isOdd(message) }),
    );
    const [branch] = [...session.store.refs({ prefix: 'refs/heads/' })];
    await session.ask(
      (refs) => refs.expire(branch!.name, () => true),
      () => session.store.deleteReflog(branch!.name),
    );
    await session.transaction();
  },
};

const deadLock: Operation = {
  async prepare(session) {
    await appendTables(session, session.number(1, 3));
    const token = addDeadLock(session, 'tables.list.lock');
    // In half of the cases, another one died while it broke the lock.
    if (session.random() < 0.5) addDeadLock(session, `tables.list.lock.${token}.break`);
  },
  async run(session) {
    await session.transaction();
    await session.transaction();
  },
};

/** The kinds of operations by name. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
    append,
    'grouped-append': groupedAppend,
    'automatic-compaction': automaticCompaction,
    'full-compaction': fullCompaction,
    clean,
    'reflog-expiry': reflogExpiry,
    'dead-lock': deadLock,
  }),
);

async function appendTables(session: Session, count: number): Promise<void> {
  for (let left = count; left > 0; left--) await session.transaction();
}

function addFile(fs: FileSystem, name: string, bytes: Uint8Array): void {
  const descriptor = fs.createEmpty(`${STACK_FOLDER}/${name}`);
  fs.append(descriptor, bytes);
  fs.close(descriptor);
}

/** Leaves a lock whose owner has died; gives its token. */
export function addDeadLock({ memory, machine }: Session, name: string): string {
  const owner = machine.start();
  const token = owner.newToken();
  memory.close(createOwned(memory, `${STACK_FOLDER}/${name}`, { ...owner.self(), token }));
  machine.kill(owner);
  return token;
}
