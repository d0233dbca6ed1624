// A block, the unit in which a table is read.
//
//   type(1): 'r' refs, 'o' objects, 'g' logs, 'i' index
//   block length(3)
//   records
//   restart offsets(3 each)   where a record stands whose key is stored whole
//   restart count(2)
//
// The first block of a file shares it with the header: its type follows the header, and its length and
// restart offsets count from the start of the file; those of any other block count from its type.
//
// What follows the block length of a log block is deflated. The block length is that of the inflated
// block; how long the deflated one is, only inflating tells.

import { ReftableFormatError } from '../errors.ts';
import { readUint16, readUint24 } from './bytes.ts';
import type { Compression, Inflated } from './compression.ts';

export const REF_BLOCK = 0x72; // 'r'
export const OBJECT_BLOCK = 0x6f; // 'o'
export const LOG_BLOCK = 0x67; // 'g'
export const INDEX_BLOCK = 0x69; // 'i'

export type BlockType =
  | typeof REF_BLOCK
  | typeof OBJECT_BLOCK
  | typeof LOG_BLOCK
  | typeof INDEX_BLOCK;

/** The type and the block length. */
export const BLOCK_HEADER_SIZE = 4;

/** The longest block that three bytes can tell. */
export const MAX_BLOCK_SIZE = 0xffffff;

/** A block whose frame was checked; its records were not yet. */
export interface Block {
  readonly type: BlockType;
  /** The block, inflated if it was deflated; the first one with the file's header before it. */
  readonly bytes: Uint8Array;
  /** The table's name, for messages. */
  readonly file: string;
  /** Where `bytes[0]` stands in the file. */
  readonly offset: number;
  /** Where the first record starts in `bytes`. */
  readonly recordsStart: number;
  /** Where the records end and the restart offsets start in `bytes`. */
  readonly recordsEnd: number;
  readonly restartCount: number;
  /** Bytes in the file from `offset` to the block's end, padding not counted. */
  readonly storedLength: number;
  /** Where the next block starts in the file, or what follows the last one. */
  readonly nextOffset: number;
}

export function isBlockType(byte: number): byte is BlockType {
  return byte === REF_BLOCK || byte === OBJECT_BLOCK || byte === LOG_BLOCK || byte === INDEX_BLOCK;
}

/** Where restart point `index` of a block stands in its `bytes`. */
export function restartOffset(block: Block, index: number): number {
  return readUint24(block.bytes, block.recordsEnd + 3 * index);
}

/**
 * How many bytes have to be read to parse the block that starts like `bytes`, at most: its length and a
 * byte that tells whether it is padded, or for a log block what deflating its length could at worst have
 * made of it.
 */
export function storedLengthLimit(bytes: Uint8Array, headerSize: number): number {
  const length = readUint24(bytes, headerSize + 1);
  return bytes[headerSize] === LOG_BLOCK ? length + (length >>> 8) + 64 : length + 1;
}

/** What is known of a block before it is read. */
export interface BlockContext {
  /** The table's name, for messages. */
  file: string;
  /** Where the block starts in the file. */
  offset: number;
  /** The size of the file's header for the first block, 0 for any other. */
  headerSize: number;
  /** Bytes that aligned blocks start apart; 0 where they are not aligned. */
  blockSize: number;
}

/**
 * Checks the frame of the block at the start of `bytes`, which hold the whole block and may hold more.
 * Throws `ReftableFormatError`.
 */
export function parseBlock(
  bytes: Uint8Array,
  context: BlockContext,
  compression: Compression,
): Block {
  const { file, offset, headerSize, blockSize } = context;
  const bad = (at: number, expected: string, found: string) =>
    new ReftableFormatError(file, offset + at, expected, found);
  const recordsStart = headerSize + BLOCK_HEADER_SIZE;
  if (bytes.length < recordsStart) throw bad(bytes.length, 'a block', 'the end of the blocks');
  const type = bytes[headerSize]!;
  if (!isBlockType(type)) {
    throw bad(headerSize, "a block type 'r', 'o', 'g' or 'i'", `0x${type.toString(16)}`);
  }
  const length = readUint24(bytes, headerSize + 1);
  if (length < recordsStart + 2) {
    throw bad(headerSize + 1, `a block length of ${recordsStart + 2} or more`, String(length));
  }
  let content = bytes;
  let storedLength = length;
  if (type === LOG_BLOCK) {
    const inflated = inflateBlock(bytes, recordsStart, length, file, offset, compression);
    content = inflated.bytes;
    storedLength = inflated.consumed;
  } else if (length > bytes.length) {
    throw bad(headerSize + 1, `a block length up to ${bytes.length}`, String(length));
  }
  const restartCount = readUint16(content, length - 2);
  const recordsEnd = length - 2 - 3 * restartCount;
  if (recordsEnd < recordsStart) {
    throw bad(length - 2, `restart offsets for ${length - recordsStart} bytes`, `${restartCount}`);
  }
  if (restartCount === 0 && recordsEnd > recordsStart) {
    throw bad(length - 2, 'at least one restart point', '0');
  }
  // Zeros fill the space up to the next aligned block; anything else is a block that is not aligned.
  // JGit's index blocks may be longer than the block size.
  const padded = type !== LOG_BLOCK && blockSize > 0 && bytes[length] === 0;
  return {
    type,
    bytes: content,
    file,
    offset,
    recordsStart,
    recordsEnd,
    restartCount,
    storedLength,
    nextOffset: offset + (padded ? Math.ceil(length / blockSize) * blockSize : storedLength),
  };
}

/** The log block with its deflated part replaced by what it inflates to, and its length in the file. */
function inflateBlock(
  bytes: Uint8Array,
  recordsStart: number,
  length: number,
  file: string,
  offset: number,
  compression: Compression,
): Inflated {
  const at = offset + recordsStart;
  const size = length - recordsStart;
  let inflated: Inflated;
  try {
    inflated = compression.inflate(bytes.subarray(recordsStart), size);
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause);
    throw new ReftableFormatError(file, at, `a zlib stream of ${size} inflated bytes`, found);
  }
  if (inflated.bytes.length !== size) {
    const found = `${inflated.bytes.length} bytes`;
    throw new ReftableFormatError(file, at, `a zlib stream of ${size} inflated bytes`, found);
  }
  const content = new Uint8Array(length);
  content.set(bytes.subarray(0, recordsStart));
  content.set(inflated.bytes, recordsStart);
  return { bytes: content, consumed: recordsStart + inflated.consumed };
}
