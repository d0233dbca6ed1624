// The file system of the machine, through node:fs. Each method is the system calls that it names and no
// others: no path is looked at twice, no file is asked for its size in passing.

import * as fs from 'node:fs';
import type { FileStatus, FileSystem, WritableFile } from './file-system.ts';

/** Permission bits of a new file, before the umask. */
const DEFAULT_FILE_MODE = 0o666;

/** What a system answers that has no fsync for folders. */
const CANNOT_SYNC = new Set(['EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);
if (process.platform === 'win32') CANNOT_SYNC.add('EACCES');

type Callback<T> = (error: NodeJS.ErrnoException | null, result?: T) => void;

/** The promise of a callback-style call: `node:fs/promises` would wrap each descriptor in an object. */
function settled<T = void>(call: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(result as T)));
  });
}

function toStatus(stats: fs.BigIntStats): FileStatus {
  return {
    device: stats.dev,
    inode: stats.ino,
    size: Number(stats.size),
    modified: stats.mtimeNs,
  };
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

class NodeWritableFile implements WritableFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  async write(chunks: readonly Uint8Array[]): Promise<void> {
    let rest = chunks.filter((chunk) => chunk.length > 0);
    while (rest.length > 0) {
      // libuv splits at IOV_MAX. A disk that fills up takes a part first and fails the next call.
      const written = await settled<number>((done) => fs.writev(this.#descriptor, rest, done));
      rest = dropBytes(rest, written);
    }
  }

  sync(): Promise<void> {
    return settled((done) => fs.fsync(this.#descriptor, done));
  }

  close(): Promise<void> {
    return settled((done) => fs.close(this.#descriptor, done));
  }
}

/** What is left of `chunks` after their first `count` bytes. */
function dropBytes(chunks: Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  let index = 0;
  while (index < chunks.length && left >= chunks[index]!.length) left -= chunks[index++]!.length;
  const rest = chunks.slice(index);
  if (left > 0) rest[0] = rest[0]!.subarray(left);
  return rest;
}

/** Node's file system. */
export const nodeFileSystem: FileSystem = {
  open: (path) => fs.openSync(path, 'r'),

  read: (descriptor, into, position) => fs.readSync(descriptor, into, 0, into.length, position),

  close: (descriptor) => fs.closeSync(descriptor),

  stat(path) {
    try {
      const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
      return stats && toStatus(stats);
    } catch (error) {
      if (codeOf(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  },

  statOpen: (descriptor) => toStatus(fs.fstatSync(descriptor, { bigint: true })),

  list: (directory) => fs.readdirSync(directory),

  async create(path, mode = DEFAULT_FILE_MODE) {
    return new NodeWritableFile(await settled<number>((done) => fs.open(path, 'wx', mode, done)));
  },

  createEmpty: (path, mode = DEFAULT_FILE_MODE) => fs.openSync(path, 'wx', mode),

  setMode: (path, mode) => settled((done) => fs.chmod(path, mode, done)),

  rename: (from, to) => fs.renameSync(from, to),

  unlink: (path) => fs.unlinkSync(path),

  async syncDirectory(path) {
    try {
      const descriptor = await settled<number>((done) => fs.open(path, 'r', done));
      const folder = new NodeWritableFile(descriptor);
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
    } catch (error) {
      if (!CANNOT_SYNC.has(codeOf(error))) throw error;
    }
  },
};
