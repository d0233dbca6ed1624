// A repository whose files are in memory, as one process of a simulated machine has it open.

import { gitReflogPolicy } from '../../reflog/policy.ts';
import type { RefReader } from '../../refs/ref-store.ts';
import { ReftableStore } from '../../refs/reftable-store.ts';
import { WorktreeStacks } from '../../refs/worktrees/worktree-stacks.ts';
import { DirectoryTableStore } from '../../stack/directory-table-store.ts';
import type { Machine } from '../../stack/lock/owner.ts';
import { Stack } from '../../stack/stack.ts';
import type { FileSystem } from '../../storage/file-system.ts';
import { nodeCompression } from '../../storage/node-compression.ts';

/** Where the stack is. */
export const STACK_FOLDER = '/repository/reftable';

interface SimulatedStoreOptions {
  /** Default: `STACK_FOLDER`. */
  folder?: string;
  /** ms; default 0: one try. */
  lockTimeout?: number;
  autoCompaction?: boolean;
  /** Gives numbers in [0, 1), of which the names of files are made. */
  random?: () => number;
}

/** Opens the repository's refs. */
export function openSimulatedStore(
  fs: FileSystem,
  machine: Machine,
  {
    folder = STACK_FOLDER,
    lockTimeout = 0,
    autoCompaction = true,
    random = Math.random,
  }: SimulatedStoreOptions = {},
): ReftableStore {
  const settings = {
    objectFormat: 'sha1',
    compression: nodeCompression,
    blockSize: undefined,
    restartInterval: undefined,
    indexObjects: true,
    lockTimeout,
  } as const;
  const tables = new DirectoryTableStore(fs, folder, { machine, random });
  const nameBits = () => Math.floor(random() * 2 ** 32);
  const stack = new Stack(tables, { ...settings, autoCompaction, nameBits });
  return new ReftableStore(new WorktreeStacks(stack), {
    ...settings,
    policy: gitReflogPolicy({ mode: 'normal', bare: false }),
    committer: () => ({ name: 'A', email: 'a@example.com', time: 1_700_000_000, timezone: 0 }),
  });
}

/** A message in which files are named as in their folder. */
export function inFolder(message: string): string {
  return message.replaceAll(`${STACK_FOLDER}/`, '').replaceAll(STACK_FOLDER, 'the folder');
}

/** All refs and reflogs as text; the same text, the same refs and reflogs. */
export function describeStore(store: RefReader): string {
  const lines: string[] = [];
  for (const { name, oid, target } of store.refs({ includeRoot: true })) {
    lines.push(`${name} ${oid ?? `ref: ${target}`}`);
  }
  for (const name of store.reflogNames()) {
    for (const { oldOid, newOid, message } of store.reflog(name)) {
      lines.push(`log ${name} ${oldOid} ${newOid} ${message}`);
    }
  }
  return lines.join('\n');
}
