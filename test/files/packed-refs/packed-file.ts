// Files `packed-refs` for tests, and what is in them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackedRefEdit } from '../../../src/files/packed-refs/edit.ts';
import { PackedRefs } from '../../../src/files/packed-refs/packed-refs.ts';
import {
  PackedRefsFile,
  type PackedRefsOptions,
} from '../../../src/files/packed-refs/packed-refs-file.ts';
import type { ObjectFormat } from '../../../src/format/object-format.ts';
import { nodeFileSystem } from '../../../src/storage/node-file-system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The first line that Git writes. */
export const HEADER = '# pack-refs with: peeled fully-peeled sorted \n';

/** An object id: the digit, 40 or 64 times. */
export function oid(digit: string, format: ObjectFormat = 'sha1'): string {
  return digit.repeat(format === 'sha1' ? 40 : 64);
}

/** Writes a file, and gives its path. */
export function packedFile(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'packed-refs');
  writeFileSync(path, content);
  return path;
}

export function openPacked(path: string, options: Partial<PackedRefsOptions> = {}): PackedRefs {
  return PackedRefs.open(nodeFileSystem, path, { objectFormat: 'sha1', ...options });
}

/** Makes the edits under the lock, and gives the bytes of the file that comes of it. */
export async function rewritten(
  path: string,
  edits: readonly PackedRefEdit[],
  options: Partial<PackedRefsOptions> = {},
): Promise<Buffer> {
  const file = new PackedRefsFile(nodeFileSystem, path, {
    objectFormat: 'sha1',
    fsync: false,
    ...options,
  });
  const locked = await file.lock();
  try {
    await locked.write(edits);
    await locked.commit();
  } finally {
    await locked.release();
    file.close();
  }
  return readFileSync(path);
}
