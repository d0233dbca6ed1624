// What is asked of a repository that a crash left: it reads; it holds what was acknowledged, and nothing that was never
// asked for; and who writes next succeeds, at its first try.

import { createHash } from 'node:crypto';
import { RefError } from '../../errors.ts';
import type { Machine } from '../../stack/lock/owner.ts';
import { MemoryFileSystem } from '../../storage/memory-file-system.ts';
import { describeStore, openSimulatedStore, STACK_FOLDER } from './simulated-repository.ts';

/** What was found in a state. */
export interface CrashFindings {
  /** The refs and reflogs; `undefined` if they cannot be read. */
  refs: string | undefined;
  /** What is wrong with the state, whatever was asked for. */
  fault: string | undefined;
  /** Whether a lock had to be removed by hand. */
  byHand: boolean;
}

const NEXT = { type: 'create', ref: 'refs/next', newOid: '1'.repeat(40) } as const;

const LIST = `${STACK_FOLDER}/tables.list`;

/** Checks states, one after the other. */
export class CrashChecker {
  /** What was read, by the bytes that a reader looks at: states differ more in what nobody reads. */
  readonly #readings = new Map<string, string>();

  /**
   * Opens what a crash left, as a process of `machine`. `canProveDeath`: whether that machine can tell that those who
   * wrote are dead, so that none of their locks may be in the way; after a power failure nobody can, and a person
   * may have to remove the lock that the error names.
   */
  async check(
    files: ReadonlyMap<string, Uint8Array>,
    machine: Machine,
    { canProveDeath }: { canProveDeath: boolean },
  ): Promise<CrashFindings> {
    const memory = new MemoryFileSystem(files);
    memory.makeFolder(STACK_FOLDER);
    const findings: CrashFindings = { refs: undefined, fault: undefined, byHand: false };
    using store = openSimulatedStore(memory, machine, { autoCompaction: false });
    const looked = lookedAt(files);
    try {
      findings.refs = this.#readings.get(looked) ?? describeStore(store);
      this.#readings.set(looked, findings.refs);
    } catch (error) {
      findings.fault = `it cannot be read: ${(error as Error).message}`;
      return findings;
    }
    try {
      try {
        await store.transaction([NEXT]);
      } catch (error) {
        if (canProveDeath || !(error instanceof RefError) || error.code !== 'LOCKED') throw error;
        findings.byHand = true;
        memory.unlink(error.file!);
        await store.transaction([NEXT]);
      }
    } catch (error) {
      findings.fault = `the next writer fails: ${(error as Error).message}`;
      return findings;
    }
    using reader = openSimulatedStore(memory, machine);
    const list = textOf(memory.files().get(LIST)?.bytes);
    if (!list.startsWith(textOf(files.get(LIST)))) {
      findings.fault = 'the next writer takes tables out of the list';
    } else if (reader.read(NEXT.ref)?.oid !== NEXT.newOid) {
      findings.fault = 'what the next writer writes is not there';
    }
    return findings;
  }
}

/** A hash of what a reader looks at: the list, and the tables that it names. */
function lookedAt(files: ReadonlyMap<string, Uint8Array>): string {
  const list = textOf(files.get(LIST));
  const hash = createHash('sha1').update(list);
  for (const name of list.split('\n')) {
    const bytes = files.get(`${STACK_FOLDER}/${name}`);
    hash.update(`${bytes?.length};`).update(bytes ?? '');
  }
  return hash.digest('base64');
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('latin1');
}
