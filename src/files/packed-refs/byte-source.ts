// The bytes of a `packed-refs` file, without mmap: a small file is read whole, a large one in pages as they are
// asked for. Those that were used last are kept, so that a search touches the disk for its last steps at most.

import { RefError } from '../../errors.ts';
import type { FileReading } from '../../storage/file-system.ts';
import { systemReason } from '../../storage/io-error.ts';

/** Up to this size a file is read whole, bytes. */
const READ_WHOLE_SIZE = 1 << 16;

/** Bytes of a page; a power of two. */
const PAGE_SIZE = 1 << 12;

/** How many pages a generation holds: with two of them, 32 MiB at most. */
const GENERATION = 1 << 12;

/** Some of the bytes, and where the first of them stands. */
export interface Page {
  readonly bytes: Uint8Array;
  /** Bytes from the start. */
  readonly start: number;
}

/** Random access to bytes that do not change. Offsets are bytes from the start, and must lie inside. */
export interface ByteSource {
  readonly size: number;
  /** The page that holds the byte at `at`. */
  page(at: number): Page;
  /** Fills `into` with the bytes from `offset` on. */
  copy(offset: number, into: Uint8Array): void;
}

/** Bytes in memory: a single page. */
export class MemorySource implements ByteSource, Page {
  readonly bytes: Uint8Array;
  readonly start = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get size(): number {
    return this.bytes.length;
  }

  page(): Page {
    return this;
  }

  copy(offset: number, into: Uint8Array): void {
    into.set(this.bytes.subarray(offset, offset + into.length));
  }
}

/** Bytes of an open file, read as they are needed. Throws `IO`. */
class PagedSource implements ByteSource {
  readonly size: number;
  readonly #fs: FileReading;
  readonly #path: string;
  readonly #descriptor: number;
  #last: Page = { bytes: new Uint8Array(0), start: 0 };
  /** By their number. When `#recent` is full it becomes `#older`, and what nobody asked for since then goes. */
  #recent = new Map<number, Page>();
  #older = new Map<number, Page>();

  constructor(fs: FileReading, path: string, descriptor: number, size: number) {
    this.size = size;
    this.#fs = fs;
    this.#path = path;
    this.#descriptor = descriptor;
  }

  page(at: number): Page {
    const { bytes, start } = this.#last;
    if (at >= start && at - start < bytes.length) return this.#last;
    const number = Math.floor(at / PAGE_SIZE);
    let page = this.#recent.get(number);
    if (page === undefined) {
      page = this.#older.get(number) ?? this.#read(number * PAGE_SIZE);
      if (this.#recent.size === GENERATION) {
        this.#older = this.#recent;
        this.#recent = new Map();
      }
      this.#recent.set(number, page);
    }
    this.#last = page;
    return page;
  }

  copy(offset: number, into: Uint8Array): void {
    readFully(this.#fs, this.#path, this.#descriptor, offset, into);
  }

  #read(start: number): Page {
    const bytes = new Uint8Array(Math.min(PAGE_SIZE, this.size - start));
    this.copy(start, bytes);
    return { bytes, start };
  }
}

/** The bytes of an open file of `size` bytes. Throws `IO`. */
export function fileSource(
  fs: FileReading,
  path: string,
  descriptor: number,
  size: number,
): ByteSource {
  if (size > READ_WHOLE_SIZE) return new PagedSource(fs, path, descriptor, size);
  const bytes = new Uint8Array(size);
  readFully(fs, path, descriptor, 0, bytes);
  return new MemorySource(bytes);
}

/** The `length` bytes from `offset` on: the caller's to keep, not to change. */
export function readRange(source: ByteSource, offset: number, length: number): Uint8Array {
  if (length === 0) return new Uint8Array(0);
  const { bytes, start } = source.page(offset);
  const from = offset - start;
  if (from + length <= bytes.length) return bytes.subarray(from, from + length);
  const copied = new Uint8Array(length);
  source.copy(offset, copied);
  return copied;
}

/** Where the first such byte in `[from, end)` stands; -1 if there is none. */
export function indexOfByte(source: ByteSource, byte: number, from: number, end: number): number {
  for (let at = from; at < end; ) {
    const { bytes, start } = source.page(at);
    const found = bytes.indexOf(byte, at - start);
    if (found >= 0) return start + found < end ? start + found : -1;
    at = start + bytes.length;
  }
  return -1;
}

function readFully(
  fs: FileReading,
  path: string,
  descriptor: number,
  offset: number,
  into: Uint8Array,
): void {
  for (let filled = 0, count: number; filled < into.length; filled += count) {
    try {
      count = fs.read(descriptor, filled === 0 ? into : into.subarray(filled), offset + filled);
    } catch (cause) {
      throw cannotRead(path, systemReason(cause), cause);
    }
    if (count === 0) throw cannotRead(path, `it ends at byte ${offset + filled}`);
  }
}

/** `IO`, in Git's words. */
export function cannotRead(path: string, reason: string, cause?: unknown): RefError {
  return new RefError('IO', `couldn't read ${path}: ${reason}`, { file: path, cause });
}
