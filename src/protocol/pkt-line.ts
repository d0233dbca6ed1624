// pkt-lines, what Git's protocols are made of: a length, and so many bytes.
//
//   length(4 hex digits, itself included)   payload
//   0000   flush: the end of a message
//   0001   delimiter: the end of a part of it
//   0002   the end of a response, behind its flush
//
// A payload that is text ends with a line feed, which does not count, and to Git ends at a NUL.

import { RefError } from '../errors.ts';
import { decodeText, encodeText } from '../format/text.ts';

/** A line's payload, or what stands in place of one. */
export type Packet = Uint8Array | 'flush' | 'delimiter' | 'response end';

export const FLUSH = encodeText('0000');
export const DELIMITER = encodeText('0001');

/** The bytes of the length. */
const LENGTH_SIZE = 4;
/** What Git sends at most, length included, bytes. */
export const LONGEST_LINE = 65520;
/** What Git takes at most is a little more: so many bytes without the length are too many. */
const TOO_LONG = 65520;

const SPECIAL = ['flush', 'delimiter', 'response end'] as const;
const LINE_FEED = 0x0a;

/** What a line begins with that tells of an error. */
const ERROR = encodeText('ERR ');
const HEX_DIGITS = encodeText('0123456789abcdef');

/** Reads pkt-lines from bytes that come in pieces of any size. Holds at most a piece and a line. */
export class PktLineReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /**
   * The next packet; a payload is good until the next call. Throws `PROTOCOL`, in Git's words, for what is no packet,
   * for the end, and for what the other side tells as an error.
   */
  async read(): Promise<Packet> {
    const packet = await this.readOrEnd();
    if (packet !== undefined) return packet;
    throw new RefError('PROTOCOL', 'the remote end hung up unexpectedly');
  }

  /** The same; `undefined` where the other side says no more, be it in the middle of a packet. */
  async readOrEnd(): Promise<Packet | undefined> {
    if (!(await this.#has(LENGTH_SIZE))) return undefined;
    const length = this.#length();
    const special = SPECIAL[length];
    if (special !== undefined) {
      this.#at += LENGTH_SIZE;
      return special;
    }
    const size = length - LENGTH_SIZE;
    if (size < 0) throw new RefError('PROTOCOL', `protocol error: bad line length ${length}`);
    if (size >= TOO_LONG) throw new RefError('PROTOCOL', `protocol error: bad line length ${size}`);
    if (!(await this.#has(length))) return undefined;
    const payload = this.#bytes.subarray(this.#at + LENGTH_SIZE, this.#at + length);
    if (ERROR.every((byte, i) => payload[i] === byte)) {
      throw new RefError('PROTOCOL', `remote error: ${textOf(payload).slice(ERROR.length)}`);
    }
    this.#at += length;
    return payload;
  }

  /** All that comes behind the last packet, as it comes; what was found to be no packet included. */
  async *rest(): AsyncIterableIterator<Uint8Array> {
    if (this.#at < this.#bytes.length) yield this.#bytes.subarray(this.#at);
    this.#at = this.#bytes.length;
    for (let next = await this.#source.next(); !next.done; next = await this.#source.next()) {
      yield next.value;
    }
  }

  #length(): number {
    const text = decodeText(this.#bytes, this.#at, this.#at + LENGTH_SIZE);
    if (/^[0-9a-fA-F]{4}$/.test(text)) return Number.parseInt(text, 16);
    const shown = text.replace(/\0.*/s, '');
    throw new RefError('PROTOCOL', `protocol error: bad line length character: ${shown}`);
  }

  /** Whether so many bytes are there, or come. */
  async #has(size: number): Promise<boolean> {
    while (this.#bytes.length - this.#at < size) {
      const next = await this.#source.next();
      if (next.done) return false;
      const left = this.#bytes.subarray(this.#at);
      this.#bytes = left.length === 0 ? next.value : Buffer.concat([left, next.value]);
      this.#at = 0;
    }
    return true;
  }
}

/** The text of a payload, without its line feed. */
export function textOf(payload: Uint8Array): string {
  let end = payload.length;
  if (payload[end - 1] === LINE_FEED) end--;
  const nul = payload.subarray(0, end).indexOf(0);
  return decodeText(payload, 0, nul < 0 ? end : nul);
}

/** A packet as it is sent; a text is a payload. Throws `PROTOCOL` for what is too long. */
export function pktLine(payload: string | Uint8Array): Uint8Array {
  const bytes = typeof payload === 'string' ? encodeText(payload) : payload;
  const line = new Uint8Array(LENGTH_SIZE + bytes.length);
  line.set(bytes, LENGTH_SIZE);
  writeLength(line, 0, line.length);
  return line;
}

/** The same for a packet of any kind that was read. */
export function encodePacket(packet: Packet): Uint8Array {
  if (typeof packet !== 'string') return pktLine(packet);
  return encodeText(`000${SPECIAL.indexOf(packet)}`);
}

/** Writes the length of a line of `length` bytes, itself included, at `at`. Throws `PROTOCOL`. */
export function writeLength(bytes: Uint8Array, at: number, length: number): void {
  if (length > LONGEST_LINE) {
    throw new RefError('PROTOCOL', 'protocol error: impossibly long line');
  }
  bytes[at] = HEX_DIGITS[length >> 12]!;
  bytes[at + 1] = HEX_DIGITS[(length >> 8) & 15]!;
  bytes[at + 2] = HEX_DIGITS[(length >> 4) & 15]!;
  bytes[at + 3] = HEX_DIGITS[length & 15]!;
}
