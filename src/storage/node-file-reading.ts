// The part of Node's file system that reads: `node-file-system.ts` is the whole.

import * as fs from 'node:fs';
import type { FileReading, FileStatus } from './file-system.ts';

/** Opening a named pipe must not wait for its writer. Windows has no such flag. */
const READ_AT_ONCE = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

function toStatus(stats: fs.BigIntStats): FileStatus {
  return {
    device: stats.dev,
    inode: stats.ino,
    size: Number(stats.size),
    modified: stats.mtimeNs,
  };
}

export const nodeFileReading: FileReading = {
  open: (path) => fs.openSync(path, READ_AT_ONCE),

  read: (descriptor, into, position) => fs.readSync(descriptor, into, 0, into.length, position),

  close: (descriptor) => fs.closeSync(descriptor),

  closeLater: (descriptor) => fs.close(descriptor, () => {}),

  stat(path) {
    try {
      const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
      return stats && toStatus(stats);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
      throw error;
    }
  },

  statOpen: (descriptor) => toStatus(fs.fstatSync(descriptor, { bigint: true })),

  list: (directory) => fs.readdirSync(directory),
};
