// Fills one block with records (the layout is in `block.ts`).
//
//   record    prefix length(varint)             bytes that the key shares with the key before
//             suffix length << 3 | value type(varint)
//             suffix, value

import { BLOCK_HEADER_SIZE, type BlockType, LOG_BLOCK } from './block.ts';
import { writeUint16, writeUint24 } from './bytes.ts';
import type { Compression } from './compression.ts';
import { writeVarint } from './varint.ts';

/** The restart count has two bytes. */
const MAX_RESTARTS = 0xffff;

export class BlockWriter {
  type: BlockType;
  recordCount = 0;

  private readonly bytes: Uint8Array;
  private readonly restartInterval: number;
  private restarts = new Uint32Array(64);
  private restartCount = 0;
  /** The size of the file's header where this is the first block, else 0. */
  private headerSize = 0;
  /** Where the next record starts. */
  private at = 0;

  /** `blockSize` in bytes, `restartInterval` in records. */
  constructor(blockSize: number, restartInterval: number, type: BlockType, headerSize: number) {
    this.bytes = new Uint8Array(blockSize);
    this.restartInterval = restartInterval;
    this.type = type;
    this.reset(type, headerSize);
  }

  /** Begins the next block. */
  reset(type: BlockType, headerSize: number): void {
    this.type = type;
    this.headerSize = headerSize;
    this.at = headerSize + BLOCK_HEADER_SIZE;
    this.recordCount = 0;
    this.restartCount = 0;
  }

  /** How much of the block is in use, bytes. */
  get length(): number {
    return this.at + 3 * this.restartCount + 2;
  }

  /**
   * Adds a record behind the others; `false` if the block has no room for it. `shared` is how many bytes
   * the key has in common with the key before.
   */
  add(
    shared: number,
    key: Uint8Array,
    keyLength: number,
    valueType: number,
    value: Uint8Array,
    valueLength: number,
  ): boolean {
    const prefix = this.begin(shared, keyLength, valueType, valueLength);
    if (prefix < 0) return false;
    this.put(key, prefix, keyLength);
    this.put(value, 0, valueLength);
    return true;
  }

  /**
   * Begins a record, for its key and value to be `put` piece by piece. Returns how many bytes of the key
   * are left out, because the key before has them; -1 if the block has no room for the record.
   */
  begin(shared: number, keyLength: number, valueType: number, valueLength: number): number {
    const { bytes } = this;
    const prefix = this.recordCount % this.restartInterval === 0 ? 0 : shared;
    const suffix = keyLength - prefix;
    let at = writeVarint(bytes, this.at, prefix);
    at = writeVarint(bytes, at, suffix * 8 + valueType);
    const restart = prefix === 0 && this.restartCount < MAX_RESTARTS;
    const trailer = 3 * (this.restartCount + (restart ? 1 : 0)) + 2;
    if (at + suffix + valueLength + trailer > bytes.length) return -1;
    if (restart) this.addRestart();
    this.at = at;
    this.recordCount++;
    return prefix;
  }

  /** Appends `from[start, end)` to the record that was begun. */
  put(from: Uint8Array, start: number, end: number): void {
    const { bytes } = this;
    let at = this.at;
    // A loop, not `set`: the pieces are a few bytes long, and a call would cost more than the copy.
    for (let i = start; i < end; i++) bytes[at++] = from[i]!;
    this.at = at;
  }

  /** Appends all of `from`, which is long enough for a call to be worth it. */
  putAll(from: Uint8Array): void {
    this.bytes.set(from, this.at);
    this.at += from.length;
  }

  /**
   * Completes the block. The result is valid until the next `reset`, and has room for the file's header
   * at its start if this is the first block.
   */
  finish(compression: Compression): Uint8Array {
    const { bytes } = this;
    for (let i = 0; i < this.restartCount; i++) {
      writeUint24(bytes, this.at, this.restarts[i]!);
      this.at += 3;
    }
    writeUint16(bytes, this.at, this.restartCount);
    this.at += 2;
    bytes[this.headerSize] = this.type;
    writeUint24(bytes, this.headerSize + 1, this.at);
    if (this.type !== LOG_BLOCK) return bytes.subarray(0, this.at);

    const start = this.headerSize + BLOCK_HEADER_SIZE;
    const deflated = compression.deflate(bytes.subarray(start, this.at));
    const stored = new Uint8Array(start + deflated.length);
    stored.set(bytes.subarray(0, start));
    stored.set(deflated, start);
    return stored;
  }

  private addRestart(): void {
    if (this.restartCount === this.restarts.length) {
      const grown = new Uint32Array(this.restarts.length * 2);
      grown.set(this.restarts);
      this.restarts = grown;
    }
    this.restarts[this.restartCount++] = this.at;
  }
}
