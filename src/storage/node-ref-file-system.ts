// The files backend's file system on the machine's, through node:fs.

import * as fs from 'node:fs';
import { decodeText, encodeText } from '../format/text.ts';
import { nodeFileReading } from './node-file-reading.ts';
import { nodeFileSystem } from './node-file-system.ts';
import type { FileKind, FolderEntry, RefFileSystem } from './ref-file-system.ts';

/** Entries of a folder. */
const LISTED_AT_ONCE = 1024;

export const nodeRefFileSystem: RefFileSystem = {
  kindOf(path) {
    const stats = notThere(() => fs.lstatSync(systemPath(path), { throwIfNoEntry: false }));
    return stats && kindOf(stats);
  },

  kindBehind(path) {
    const stats = notThere(() => fs.statSync(systemPath(path), { throwIfNoEntry: false }));
    return stats && kindOf(stats);
  },

  sizeOf: (path) => notThere(() => fs.statSync(systemPath(path), { throwIfNoEntry: false }))?.size,

  open(path) {
    const descriptor = nodeFileReading.open(systemPath(path) as string);
    const { size } = fs.fstatSync(descriptor);
    return {
      size,
      read: (start, end) => readRange(descriptor, start, Math.min(end, size)),
      close: () => fs.closeSync(descriptor),
    };
  },

  readLink: (path) => decodeText(fs.readlinkSync(systemPath(path), 'buffer')),

  list(folder) {
    // Unlike `readdir`, this does not sort: who tells of files in the system's order tells of them as Git does.
    const options = { encoding: 'buffer' as BufferEncoding, bufferSize: LISTED_AT_ONCE };
    const open = notThere(() => fs.opendirSync(systemPath(folder) as string, options));
    if (open === undefined) return undefined;
    const found: FolderEntry[] = [];
    try {
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        const name = entry.name as unknown as Buffer;
        found.push({ name: decodeText(name), kind: kindOf(entry) });
      }
    } finally {
      open.closeSync();
    }
    return found;
  },

  create(path, mode = 0o666) {
    fs.closeSync(fs.openSync(systemPath(path), 'wx', mode));
  },

  async write(path, bytes, sync) {
    const descriptor = fs.openSync(systemPath(path), 'w');
    try {
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(descriptor, bytes, at);
      if (sync) await synced(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  },

  append(path, bytes, creates) {
    const { O_WRONLY, O_APPEND, O_CREAT } = fs.constants;
    const flags = O_WRONLY | O_APPEND | (creates ? O_CREAT : 0);
    const descriptor = fs.openSync(systemPath(path), flags, 0o666);
    try {
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(descriptor, bytes, at);
    } finally {
      fs.closeSync(descriptor);
    }
  },

  setMode: (path, mode) => fs.chmodSync(systemPath(path), mode),

  rename: (from, to) => fs.renameSync(systemPath(from), systemPath(to)),

  unlink: (path) => fs.unlinkSync(systemPath(path)),

  makeFolder: (path) => fs.mkdirSync(systemPath(path)),

  removeFolder: (path) => fs.rmdirSync(systemPath(path)),

  async sync(path) {
    const directory = await nodeFileSystem.openDirectory(systemPath(path) as string);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  },
};

function readRange(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(end - start, 0));
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes.length; length += count) {
    count = fs.readSync(descriptor, bytes, length, bytes.length - length, start + length);
  }
  return bytes.subarray(0, length);
}

/** A path that is not UTF-8 is one of bytes to Node. */
function systemPath(path: string): string | Buffer {
  return /[\udc80-\udcff]/.test(path) ? Buffer.from(encodeText(path)) : path;
}

function kindOf(stats: fs.Stats | fs.Dirent): FileKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

function notThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function synced(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(descriptor, (error) => (error ? reject(error) : resolve()));
  });
}
