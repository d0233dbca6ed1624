// What a table is written with: the options, their defaults and their limits.

import { RefError } from '../errors.ts';
import { MAX_BLOCK_SIZE } from '../format/block.ts';
import type { Compression } from '../format/compression.ts';
import { headerSize, type TableHeader, versionFor } from '../format/header.ts';
import type { ObjectFormat } from '../format/object-format.ts';

export const DEFAULT_BLOCK_SIZE = 4096;
const DEFAULT_RESTART_INTERVAL = 16;

export interface TableWriterOptions {
  compression: Compression;
  /** The smallest update index of the table's refs. */
  minUpdateIndex: number;
  /** The largest update index of its refs and log entries. */
  maxUpdateIndex: number;
  /** Default `sha1`. */
  objectFormat?: ObjectFormat | undefined;
  /** Format version; 2 is for any hash function, 1 for SHA-1 only. Default: 1 where it can be. */
  version?: 1 | 2 | undefined;
  /** Bytes, at most 16777215. Default 4096. */
  blockSize?: number | undefined;
  /** Records from one restart point to the next, 1..65535. Default 16. */
  restartInterval?: number | undefined;
  /** Whether to write the object section. Default true. */
  indexObjects?: boolean | undefined;
  /** Whether blocks start at multiples of the block size. Default true; JGit's may not. */
  aligned?: boolean | undefined;
}

/** The options with their defaults filled in, and the header that they make. */
interface CheckedOptions {
  compression: Compression;
  blockSize: number;
  restartInterval: number;
  indexObjects: boolean;
  aligned: boolean;
  header: TableHeader;
}

/** Throws `INVALID_ARGUMENT` for an option out of its range. */
export function checkWriterOptions(options: TableWriterOptions): CheckedOptions {
  const { compression, minUpdateIndex, maxUpdateIndex, objectFormat = 'sha1' } = options;
  const { blockSize = DEFAULT_BLOCK_SIZE, restartInterval = DEFAULT_RESTART_INTERVAL } = options;
  const { aligned = true, indexObjects = true, version = versionFor(objectFormat) } = options;
  expectWhole('blockSize', blockSize, headerSize(version) + 8, MAX_BLOCK_SIZE);
  expectWhole('restartInterval', restartInterval, 1, 0xffff);
  expectWhole('minUpdateIndex', minUpdateIndex, 0, Number.MAX_SAFE_INTEGER);
  expectWhole('maxUpdateIndex', maxUpdateIndex, minUpdateIndex, Number.MAX_SAFE_INTEGER);
  if (version === 1 && objectFormat !== 'sha1') {
    const message = `version 1 holds sha1 object ids, not ${objectFormat}`;
    throw new RefError('INVALID_ARGUMENT', message);
  }
  const headerBlockSize = aligned ? blockSize : 0;
  const header = {
    version,
    objectFormat,
    blockSize: headerBlockSize,
    minUpdateIndex,
    maxUpdateIndex,
  };
  return { compression, blockSize, restartInterval, indexObjects, aligned, header };
}

function expectWhole(what: string, value: number, low: number, high: number): void {
  if (Number.isSafeInteger(value) && value >= low && value <= high) return;
  throw new RefError('INVALID_ARGUMENT', `${what}: expected ${low} to ${high}, found ${value}`);
}
