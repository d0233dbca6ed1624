// The file system of the machine, through node:fs. Each method is the system calls that it names and no
// others: no path is looked at twice, no file is asked for its size in passing. What only goes to the page
// cache is done at once, for a trip through the thread pool takes longer; large writes and fsync are not.

import * as fs from 'node:fs';
import type { FileSystem, OpenDirectory, WritableFile } from './file-system.ts';
import { nodeFileReading } from './node-file-reading.ts';

/** Permission bits of a new file, before the umask. */
const DEFAULT_FILE_MODE = 0o666;

/** Up to this size a write is done at once, bytes. */
const SMALL_WRITE = 1 << 16;

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

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

class NodeWritableFile implements WritableFile {
  readonly descriptor: number;

  constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  async write(chunks: readonly Uint8Array[]): Promise<void> {
    const size = chunks.reduce((sum, { length }) => sum + length, 0);
    if (size <= SMALL_WRITE) {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      for (let at = 0; at < size; ) at += fs.writeSync(this.descriptor, bytes, at);
      return;
    }
    let rest = chunks.filter((chunk) => chunk.length > 0);
    while (rest.length > 0) {
      // libuv splits at IOV_MAX. A disk that fills up takes a part first and fails the next call.
      const written = await settled<number>((done) => fs.writev(this.descriptor, rest, done));
      rest = dropBytes(rest, written);
    }
  }

  sync(): Promise<void> {
    return settled((done) => fs.fsync(this.descriptor, done));
  }

  async close(): Promise<void> {
    fs.closeSync(this.descriptor);
  }
}

class NodeDirectory extends NodeWritableFile implements OpenDirectory {
  override async sync(): Promise<void> {
    try {
      await super.sync();
    } catch (error) {
      if (!CANNOT_SYNC.has(codeOf(error))) throw error;
    }
  }
}

/** A folder of a system that does not open any. */
const NO_DIRECTORY: OpenDirectory = { sync: async () => {}, close: async () => {} };

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
  ...nodeFileReading,

  async create(path, mode = DEFAULT_FILE_MODE) {
    return new NodeWritableFile(fs.openSync(path, 'wx', mode));
  },

  createEmpty: (path, mode = DEFAULT_FILE_MODE) => fs.openSync(path, 'wx', mode),

  append(descriptor, bytes) {
    let done = 0;
    while (done < bytes.length) done += fs.writeSync(descriptor, bytes, done);
  },

  link: (existing, path) => fs.linkSync(existing, path),

  readLink(path) {
    try {
      return fs.readlinkSync(path);
    } catch {
      return undefined;
    }
  },

  setMode: async (path, mode) => fs.chmodSync(path, mode),

  rename: (from, to) => fs.renameSync(from, to),

  unlink: (path) => fs.unlinkSync(path),

  async openDirectory(path) {
    try {
      return new NodeDirectory(fs.openSync(path, 'r'));
    } catch (error) {
      if (CANNOT_SYNC.has(codeOf(error))) return NO_DIRECTORY;
      throw error;
    }
  },
  watch(directory, persistent, changed) {
    try {
      const watcher = fs.watch(directory, { persistent }, (_event, name) => {
        changed(name ?? undefined);
      });
      // The folder was removed, say: whoever looks finds out.
      watcher.on('error', () => changed(undefined));
      return () => watcher.close();
    } catch {
      // Too many are watched, or the system cannot.
      return () => {};
    }
  },
};
