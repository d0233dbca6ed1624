// Writes the refs and reflogs of a snapshot as files: packed-refs, and what cannot be packed, symrefs and root refs,
// each by itself.

import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { LineWriter } from '../../files/packed-refs/v1/writer.ts';
import { reflogLine } from '../../files/reflog-files.ts';
import type { ObjectFormat } from '../../format/object-format.ts';
import { encodeText } from '../../format/text.ts';
import type { Ref, RefSnapshot } from '../../refs/ref-store.ts';

/** Of packed-refs, so much may be put together at a time, bytes. */
const PIECE = 1 << 20;
/** Progress is told after so many. */
const STEP = 1 << 12;

export interface FilesWriting {
  objectFormat: ObjectFormat;
  fsync: boolean;
  reflogs: boolean;
  fileMode: number | undefined;
  /** Gives a new folder the permissions that it is to have. */
  share(folder: string): void;
  onProgress(refs: number, entries: number): void;
}

/** Throws what Node does, and what reading throws. */
export function writeFiles(source: RefSnapshot, folder: string, writing: FilesWriting): void {
  const files = new NewFiles(writing);
  for (const name of ['refs/heads', 'refs/tags']) files.makeFolder(`${folder}/${name}`);
  const refs = packRefs(source, folder, files, writing);
  if (writing.reflogs) writeLogs(source, folder, files, writing, refs);
  files.syncFolders();
}

/** How many refs there are. */
function packRefs(
  source: RefSnapshot,
  folder: string,
  files: NewFiles,
  { objectFormat, onProgress }: FilesWriting,
): number {
  // Every reader knows version 1; the next packing writes what the configuration wants.
  const writer = new LineWriter(objectFormat, PIECE);
  const packed = files.open(`${folder}/packed-refs`);
  const drain = (chunks: Iterable<Uint8Array>) => {
    for (const chunk of chunks) writeSync(packed, chunk);
  };
  let count = 0;
  try {
    writer.begin();
    for (const ref of source.refs({ includeRoot: true })) {
      if (isPackable(ref)) writer.edit(encodeText(ref.name), ref);
      else files.write(`${folder}/${ref.name}`, encodeText(`${contentOf(ref)}\n`));
      if (writer.output.isFull) drain(writer.output.drain());
      if (++count % STEP === 0) onProgress(count, 0);
    }
    drain(writer.end());
  } finally {
    files.close(packed);
  }
  onProgress(count, 0);
  return count;
}

function writeLogs(
  source: RefSnapshot,
  folder: string,
  files: NewFiles,
  { onProgress }: FilesWriting,
  refs: number,
): void {
  let count = 0;
  for (const name of source.reflogNames()) {
    const lines: Uint8Array[] = [];
    for (const entry of source.reflog(name, { order: 'oldest-first' })) {
      lines.push(reflogLine(entry));
    }
    files.write(`${folder}/logs/${name}`, Buffer.concat(lines));
    count += lines.length;
    onProgress(refs, count);
  }
}

function isPackable(ref: Ref): ref is Ref & { oid: string } {
  return ref.oid !== undefined && ref.name.startsWith('refs/');
}

function contentOf({ oid, target }: Ref): string {
  return target === undefined ? oid! : `ref: ${target}`;
}

/** Makes files and the folders that they are in, all new. */
class NewFiles {
  readonly #writing: FilesWriting;
  readonly #folders = new Set<string>();

  constructor(writing: FilesWriting) {
    this.#writing = writing;
  }

  makeFolder(path: string): void {
    if (this.#folders.has(path)) return;
    const first = mkdirSync(pathBytes(path), { recursive: true });
    this.#folders.add(path);
    if (first !== undefined) this.#writing.share(path);
  }

  open(path: string): number {
    return openSync(pathBytes(path), 'wx', this.#writing.fileMode ?? 0o666);
  }

  write(path: string, bytes: Uint8Array): void {
    this.makeFolder(dirname(path));
    const file = this.open(path);
    try {
      writeFileSync(file, bytes);
    } finally {
      this.close(file);
    }
  }

  close(file: number): void {
    try {
      if (this.#writing.fsync) fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  syncFolders(): void {
    if (!this.#writing.fsync) return;
    for (const path of this.#folders) {
      const folder = openSync(pathBytes(path), 'r');
      try {
        fsyncSync(folder);
      } finally {
        closeSync(folder);
      }
    }
  }
}

/** Names need not be UTF-8. */
function pathBytes(path: string): Buffer {
  return Buffer.from(encodeText(path));
}
