// Tables for the tests of a stack, and what a stack says of its refs.

import { DirectoryTableStore } from '../../src/stack/directory-table-store.ts';
import { Stack } from '../../src/stack/stack.ts';
import type { StackSnapshot } from '../../src/stack/stack-snapshot.ts';
import type { FileSystem } from '../../src/storage/file-system.ts';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { TableWriter, type WrittenTable } from '../../src/table/table-writer.ts';

export function oid(n: number): string {
  return n.toString(16).padStart(40, '0');
}

/** A table of refs, named in byte order; their object id is, unless it is given, the update index. */
export function sampleTable(
  updateIndex: number,
  names: readonly string[],
  objectFormat: 'sha1' | 'sha256' = 'sha1',
  id = oid(updateIndex).padStart(objectFormat === 'sha1' ? 40 : 64, '0'),
): WrittenTable {
  const writer = new TableWriter({
    objectFormat,
    compression: nodeCompression,
    minUpdateIndex: updateIndex,
    maxUpdateIndex: updateIndex,
  });
  for (const name of names) {
    writer.addRef({ name, updateIndex, oid: id });
  }
  return writer.finish();
}

/** The file of a table. */
export function bytesOf(table: WrittenTable): Uint8Array {
  return Buffer.concat(table.chunks);
}

/** A stack in a folder; it is not compacted unless that is asked for. */
export function openStack(
  directory: string,
  fs: FileSystem = nodeFileSystem,
  { autoCompaction = false } = {},
): Stack {
  const store = new DirectoryTableStore(fs, directory);
  const options = { objectFormat: 'sha1', compression: nodeCompression, autoCompaction } as const;
  return new Stack(store, options);
}

/** Commits a table of these refs and returns its name. */
export async function append(stack: Stack, ...names: string[]): Promise<string> {
  const addition = await stack.beginAddition({ timeout: -1 });
  await addition.commit(sampleTable(addition.updateIndex, names));
  return stack.current().names.at(-1)!;
}

/** The names and values of a snapshot's refs: `refs/heads/main=3`. */
export function refsOf(snapshot: StackSnapshot): string[] {
  return Array.from(snapshot.merged.refs(), ({ name, oid }) => `${name}=${Number(`0x${oid}`)}`);
}
