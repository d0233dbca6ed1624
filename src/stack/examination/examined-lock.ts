// What an examination says of one lock file.

import type { FileSystem } from '../../storage/file-system.ts';
import { systemReason } from '../../storage/io-error.ts';
import { inspectLock, type LockInspection } from '../lock/inspection.ts';
import { thisMachine } from '../lock/machine.ts';
import { ENDED, type LockOwner } from '../lock/owner.ts';
import { readOwner } from '../lock/record.ts';
import { type StackFileKind, stackFileKind } from '../stack-files.ts';
import type { Finding } from './finding.ts';

const KINDS: Partial<Record<StackFileKind, { noun: string; meaning: string }>> = {
  'stack lock': {
    noun: 'The lock of the stack',
    meaning: 'While the file is there nobody else changes a ref, Git included.',
  },
  'table lock': {
    noun: 'The lock of a table',
    meaning: 'While the file is there nobody else compacts the table; all else goes on.',
  },
  'break file': {
    noun: 'The right to remove the lock of a dead process',
    meaning: 'While the file is there nobody else removes that lock.',
  },
};

/** `undefined` if the lock is gone. */
export function examineLock(fs: FileSystem, path: string): Finding | undefined {
  const lock = inspectLock(fs, path);
  if (lock === undefined) return undefined;
  const { noun, meaning } = KINDS[stackFileKind(path.slice(path.lastIndexOf('/') + 1))]!;
  return { kind: 'lock', file: path, meaning, ...judgeLock(fs, lock, noun) };
}

/** Whether the owner is alive as far as can be told, so that nobody may take the lock from it. */
export function isAlive({ verdict, gitPid }: LockInspection): boolean {
  return verdict === 'alive' || (gitPid !== undefined && isRunning(gitPid));
}

type Judgement = Pick<Finding, 'severity' | 'mending' | 'problem' | 'remedy'>;

function judgeLock(fs: FileSystem, lock: LockInspection, noun: string): Judgement {
  const { owner, verdict, gitPid } = lock;
  const age = forPeople(lock.age);
  if (lock.isFolder) {
    return {
      severity: 'obstacle',
      mending: 'none',
      problem: 'A folder stands in the place of a lock file, which neither Git nor reftable makes.',
      remedy: 'Remove it by hand.',
    };
  }
  if (isAlive(lock)) {
    const who = owner === undefined ? `process ${gitPid}` : `${nameOf(owner)}, which is alive`;
    return {
      severity: 'notice',
      mending: 'none',
      problem: `${noun}, held for ${age} by ${who}.`,
      remedy: 'Wait for it.',
    };
  }
  if (verdict === 'dead' && owner !== undefined) {
    return {
      severity: 'obstacle',
      mending: 'safe',
      problem: `${noun}, left ${age} ago by ${nameOf(owner)}, which is dead.`,
      remedy: '--fix removes it; so does the next writer that is reftable.',
    };
  }
  const unreadable = whyUnreadable(fs, lock.path);
  const whose =
    unreadable !== undefined
      ? `that cannot be read: ${unreadable}`
      : owner !== undefined
        ? `of ${nameOf(owner)}, ${WHERE[verdict]}`
        : gitPid !== undefined
          ? `of process ${gitPid}, which does not run here`
          : 'that does not say whose it is, as those of Git';
  return {
    severity: 'obstacle',
    mending: 'forced',
    problem: `${noun}, ${age} old, ${whose}.`,
    remedy: 'If you know that its owner is not at work any more, --force-unlock removes it.',
  };
}

const WHERE: Readonly<Record<LockInspection['verdict'], string>> = {
  alive: 'which is alive',
  dead: 'which is dead',
  elsewhere: 'which was not started on this host, container and boot',
  unknown: 'of which cannot be told whether it is alive',
};

function nameOf({ pid, host }: LockOwner): string {
  return `process ${pid} of host ${host}`;
}

function isRunning(pid: number): boolean {
  const sighting = thisMachine.look(pid, pid);
  return typeof sighting !== 'string' && !ENDED.has(sighting.state);
}

function whyUnreadable(fs: FileSystem, path: string): string | undefined {
  try {
    readOwner(fs, path);
    return undefined;
  } catch (error) {
    return systemReason(error);
  }
}

/** Milliseconds as words. */
function forPeople(age: number): string {
  const seconds = age / 1000;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const minutes = seconds / 60;
  if (minutes < 120) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}
