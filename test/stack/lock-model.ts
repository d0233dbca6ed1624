// A world for testing locks call by call: a small file system in memory, processes of which any can be stopped
// between two of its calls and never go on, and what each of them sees of the others.
//
// A process is a synchronous function. To let it make a few more calls it is run again from its beginning: the
// calls that it has made are answered from its records, the next ones are made, and the one after those ends
// the run.

import type { LockOwner, Machine } from '../../src/stack/lock/owner.ts';
import type { FileStatus, FileSystem } from '../../src/storage/file-system.ts';

interface MemoryFile {
  readonly inode: bigint;
  bytes: Uint8Array;
}

interface MemoryOptions {
  /** Whether a file can have two names. */
  hasLinks: boolean;
  /** Whether the removal of a file fails this time. */
  failsToUnlink: (path: string) => boolean;
}

/** The calls of `FileSystem` that locks make. */
export class MemoryFiles {
  readonly files = new Map<string, MemoryFile>();
  readonly #open: MemoryFile[] = [];
  readonly #options: MemoryOptions;
  #inodes = 0n;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  open(path: string): number {
    return this.#open.push(this.#at(path)) - 1;
  }

  content(descriptor: number): Uint8Array {
    return this.#open[descriptor]!.bytes;
  }

  stat(path: string): FileStatus | undefined {
    const file = this.files.get(path);
    return file && statusOf(file);
  }

  statOpen(descriptor: number): FileStatus {
    return statusOf(this.#open[descriptor]!);
  }

  list(): string[] {
    return [...this.files.keys()].map((path) => path.slice(1));
  }

  createEmpty(path: string): number {
    if (this.files.has(path)) throw failure('EEXIST');
    this.files.set(path, { inode: ++this.#inodes, bytes: new Uint8Array() });
    return this.open(path);
  }

  append(descriptor: number, bytes: Uint8Array): void {
    const file = this.#open[descriptor]!;
    file.bytes = Buffer.concat([file.bytes, bytes]);
  }

  link(existing: string, path: string): void {
    if (!this.#options.hasLinks) throw failure('EPERM');
    const file = this.#at(existing);
    if (this.files.has(path)) throw failure('EEXIST');
    this.files.set(path, file);
  }

  unlink(path: string): void {
    this.#at(path);
    if (this.#options.failsToUnlink(path)) throw failure('EIO');
    this.files.delete(path);
  }

  #at(path: string): MemoryFile {
    const file = this.files.get(path);
    if (file === undefined) throw failure('ENOENT');
    return file;
  }
}

function statusOf({ inode, bytes }: MemoryFile): FileStatus {
  return { device: 1n, inode, size: bytes.length, modified: 0n };
}

/** Not an `Error`, whose stack trace would cost more than all else here. */
function failure(code: string): { code: string } {
  return { code };
}

/** What a process runs: everything that it sees of the world goes through its arguments. */
export type Program = (
  fs: FileSystem,
  machine: Machine,
  /** Makes a step of the program's own. */
  step: <T>(work: () => T) => T,
) => void;

type Outcome = { value: unknown } | { error: unknown };

export class World {
  readonly memory: MemoryFiles;
  readonly processes: ModelProcess[] = [];
  /** Called after each call of any process. */
  readonly check: () => void;

  constructor({ memory, check }: { memory: MemoryFiles; check: () => void }) {
    this.memory = memory;
    this.check = check;
  }

  start(program: Program): ModelProcess {
    const process = new ModelProcess(this, this.processes.length + 1, program);
    this.processes.push(process);
    return process;
  }
}

/** A process of one thread. */
export class ModelProcess {
  readonly pid: number;
  state: 'running' | 'finished' | 'killed' = 'running';
  readonly #world: World;
  readonly #program: Program;
  readonly #calls: Outcome[] = [];

  constructor(world: World, pid: number, program: Program) {
    this.#world = world;
    this.pid = pid;
    this.#program = program;
  }

  /** Makes so many more calls. Throws what the program and the world's `check` throw. */
  advance(calls: number): void {
    let position = 0;
    let tokens = 0;
    let left = calls;
    let isSuspended = false;
    let violation: Outcome = { value: undefined };
    const step = <T>(work: () => T): T => {
      const known = this.#calls[position++];
      if (known === undefined && (left === 0 || isSuspended)) {
        isSuspended = true;
        throw SUSPENDED;
      }
      const outcome = known ?? settle(work);
      if (known === undefined) {
        left--;
        this.#calls.push(outcome);
        if (!('error' in violation)) violation = settle(this.#world.check);
      }
      if ('error' in outcome) throw outcome.error;
      return outcome.value as T;
    };
    const machine: Machine = {
      self: () => ownerOf(this.pid),
      newToken: () => `${this.pid.toString(16)}${'0'.repeat(31)}`.slice(0, 28) + hex4(++tokens),
      look: (pid) => step(() => this.#world.processes[pid - 1]!.#sighting()),
    };
    try {
      this.#program(this.#fileSystem(step), machine, step);
    } catch (error) {
      if (!isSuspended) throw error;
    }
    // The program may have swallowed it.
    if ('error' in violation) throw violation.error;
    // What the program does after it was suspended does not count, however it answers to that.
    if (!isSuspended) this.state = 'finished';
  }

  /** Runs to the end. */
  finish(): void {
    this.advance(Infinity);
  }

  #sighting() {
    return this.state === 'running' ? { state: 'S', started: this.pid } : 'gone';
  }

  #fileSystem(step: <T>(work: () => T) => T): FileSystem {
    const { memory } = this.#world;
    const calls = {
      open: (path: string) => step(() => memory.open(path)),
      read(descriptor: number, into: Uint8Array) {
        const bytes = step(() => memory.content(descriptor));
        into.set(bytes);
        return bytes.length;
      },
      close: () => {},
      stat: (path: string) => step(() => memory.stat(path)),
      statOpen: (descriptor: number) => step(() => memory.statOpen(descriptor)),
      list: () => step(() => memory.list()),
      createEmpty: (path: string) => step(() => memory.createEmpty(path)),
      append: (descriptor: number, bytes: Uint8Array) =>
        step(() => memory.append(descriptor, bytes)),
      link: (existing: string, path: string) => step(() => memory.link(existing, path)),
      unlink: (path: string) => step(() => memory.unlink(path)),
    };
    return calls as unknown as FileSystem;
  }
}

/** Made once: there are many, and a stack trace costs more than all else here. */
const SUSPENDED = new Error('the process is not to make another call now');

function settle(work: () => unknown): Outcome {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

function hex4(value: number): string {
  return value.toString(16).padStart(4, '0');
}

/** The record of a process of this world, but for its token. */
function ownerOf(pid: number): Omit<LockOwner, 'token'> {
  const identity = { thread: pid, started: pid, boot: 'b', namespaces: 'n' };
  return { pid, host: 'h', identity };
}
