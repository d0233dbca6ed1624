// What this machine says of its threads: on Linux by /proc, elsewhere nothing.

import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { nodeFileSystem } from '../../storage/node-file-system.ts';
import type { LockOwner, Machine, ThreadIdentity } from './owner.ts';

/** Asked for once a thread: each thread loads this module anew. */
let self: Omit<LockOwner, 'token'> | undefined;

export const thisMachine: Machine = {
  self() {
    self ??= { pid: process.pid, host: hostname(), identity: ownIdentity() };
    return self;
  },

  // Not a secret: it only has to be unlike all others.
  newToken() {
    const word = () => Math.floor(Math.random() * 2 ** 32).toString(16);
    return Array.from({ length: 4 }, () => word().padStart(8, '0')).join('');
  },

  look(pid, thread) {
    try {
      return readSighting(`/proc/${pid}/task/${thread}/stat`);
    } catch (error) {
      if (!isNotFound(error)) return 'hidden';
    }
    // A mount option of /proc hides the processes of other users, but not from the question whether a
    // signal could be sent.
    return isProcessGone(pid) || isShown(pid) ? 'gone' : 'hidden';
  },
};

function ownIdentity(): ThreadIdentity | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // In a new namespace, /proc may still be that of the old one, and its numbers mean other processes.
    const status = read('/proc/thread-self/status');
    if (field(status, 'Tgid') !== String(process.pid)) return undefined;
    const thread = field(status, 'Pid');
    if (thread === undefined || field(status, 'NSpid') !== thread) return undefined;
    return {
      thread: Number(thread),
      started: readSighting('/proc/thread-self/stat').started,
      boot: read('/proc/sys/kernel/random/boot_id').trim(),
      namespaces: `${readlinkSync('/proc/self/ns/pid')} ${timeNamespace()}`.trim(),
    };
  } catch {
    return undefined;
  }
}

/** In which start times are counted; Linux has had these namespaces since 5.6. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch (error) {
    if (isNotFound(error)) return '';
    throw error;
  }
}

/** The third and the 22nd field. The second, a name in parentheses, may hold spaces and parentheses. */
function readSighting(path: string): { state: string; started: number } {
  const stat = read(path);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields[0], Number(fields[19])];
  if (!state || !(started > 0)) throw new Error(`${path}: expected the status of a thread`);
  return { state, started };
}

function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function isShown(pid: number): boolean {
  try {
    read(`/proc/${pid}/stat`);
    return true;
  } catch {
    return false;
  }
}

function field(status: string, name: string): string | undefined {
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1];
}

/** Reads a file whose size nobody knows before; larger ones than this are not among those of interest. */
function read(path: string): string {
  const bytes = Buffer.alloc(4096);
  const descriptor = nodeFileSystem.open(path);
  try {
    return bytes.toString('latin1', 0, nodeFileSystem.read(descriptor, bytes, 0));
  } finally {
    nodeFileSystem.close(descriptor);
  }
}

function isNotFound(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESRCH';
}
