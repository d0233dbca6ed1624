// A buffer in which something is put together piece by piece, without an allocation for each.

import { writeOid } from './object-format.ts';
import { encodeText } from './text.ts';
import { MAX_VARINT_LENGTH, writeVarint } from './varint.ts';

/** Bytes that are appended to; grows, and is emptied without being freed. */
export class Scratch {
  bytes = new Uint8Array(256);
  length = 0;

  /** The bytes of a text, until something else is put here. */
  encode(text: string): Uint8Array {
    this.length = 0;
    this.text(text);
    return this.bytes.subarray(0, this.length);
  }

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = new Uint8Array(2 * (this.length + more));
    grown.set(this.bytes);
    this.bytes = grown;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  varint(value: number): void {
    this.reserve(MAX_VARINT_LENGTH);
    this.length = writeVarint(this.bytes, this.length, value);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Appends `bytes[start, end)`, few enough that a call of `set` would be slow. */
  range(bytes: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    const into = this.bytes;
    let at = this.length;
    for (let i = start; i < end; i++) into[at++] = bytes[i]!;
    this.length = at;
  }

  oid(hex: string): void {
    this.reserve(hex.length >> 1);
    writeOid(this.bytes, this.length, hex);
    this.length += hex.length >> 1;
  }

  /** ASCII, which texts nearly always are, without an allocation. */
  text(text: string): void {
    if (!this.ascii(text)) this.append(encodeText(text));
  }

  /** A text behind its length. */
  string(text: string): void {
    const start = this.length;
    this.varint(text.length);
    if (this.ascii(text)) return;
    this.length = start;
    const bytes = encodeText(text);
    this.varint(bytes.length);
    this.append(bytes);
  }

  /** Appends `text` if it is ASCII; else appends nothing and says so. */
  private ascii(text: string): boolean {
    this.reserve(text.length);
    const { bytes } = this;
    let at = this.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) return false;
      bytes[at++] = code;
    }
    this.length = at;
    return true;
  }
}
