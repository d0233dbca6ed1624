// The chunks PFXD and PFXO as they grow.

import { writeUint32 } from '../../../format/bytes.ts';
import type { Scratch } from '../../../format/scratch.ts';
import { ROW_SIZE } from './layout.ts';

const SLASH = 0x2f;

export class PrefixColumn {
  readonly #texts: Uint8Array[] = [];
  /** How many refs there were when the next prefix began. */
  readonly #ends: number[] = [];
  #last: Uint8Array | undefined;

  /**
   * The prefix that the next name, `bytes[start, end)`, goes under: the last one while names begin with it, else what the
   * name has up to its second slash, its only slash, or its end. So does the proposal, and so `refs/tags/` is not
   * a prefix where `refs/stash` came before.
   */
  of(bytes: Uint8Array, start: number, end: number): Uint8Array {
    if (this.#last !== undefined && startsWith(bytes, start, end, this.#last)) return this.#last;
    const first = indexOfSlash(bytes, start, end);
    const second = first < 0 ? -1 : indexOfSlash(bytes, first + 1, end);
    const slash = Math.max(first, second);
    return bytes.subarray(start, slash < 0 ? end : slash + 1);
  }

  /** Refs under that prefix, which is one that `of` gave, come next, behind `count` others. */
  begin(prefix: Uint8Array, count: number): void {
    if (prefix === this.#last) return;
    if (this.#last !== undefined) this.#ends.push(count);
    this.#last = prefix.slice();
    this.#texts.push(this.#last);
  }

  writeTexts(into: Scratch): void {
    for (const text of this.#texts) {
      into.append(text);
      into.byte(0);
    }
  }

  /** `count` is how many refs there are in all. */
  writeOffsets(into: Scratch, count: number): void {
    const row = new Uint8Array(ROW_SIZE);
    let textEnd = 0;
    for (const [i, text] of this.#texts.entries()) {
      textEnd += text.length + 1;
      writeUint32(row, 0, textEnd);
      writeUint32(row, 4, this.#ends[i] ?? count);
      into.append(row);
    }
  }
}

function startsWith(bytes: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
  if (prefix.length > end - start) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[start + i] !== prefix[i]) return false;
  return true;
}

/** As `bytes.indexOf`, which is slow for so few bytes. */
function indexOfSlash(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from; i < end; i++) if (bytes[i] === SLASH) return i;
  return -1;
}
