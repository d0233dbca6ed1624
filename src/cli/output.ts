// Standard output and standard error: text in, bytes out in large pieces.

import { encodeText } from '../format/text.ts';
import { writeAll } from './descriptors.ts';

/** How much is gathered before it is written, UTF-16 units. */
const PIECE_SIZE = 64 * 1024;

class Output {
  readonly #descriptor: number;
  #pending = '';

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Adds text; names that are not UTF-8 come out as the bytes that they stand for. */
  write(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= PIECE_SIZE) this.flush();
  }

  /** Writes bytes, behind the text that was gathered. */
  writeBytes(bytes: Uint8Array): void {
    this.flush();
    writeAll(this.#descriptor, bytes);
  }

  /** Writes what was gathered. */
  flush(): void {
    if (this.#pending === '') return;
    const bytes = encodeText(this.#pending);
    this.#pending = '';
    writeAll(this.#descriptor, bytes);
  }
}

export const stdout = new Output(1);

/** Tells the user something, behind what was printed so far. */
export function writeError(text: string): void {
  stdout.flush();
  writeAll(2, withoutControls(encodeText(text)));
}

/** As Git: what is quoted may have come from anywhere, and a terminal obeys control characters. */
function withoutControls(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => {
    const isControl = (byte < 0x20 && byte !== 0x09 && byte !== 0x0a) || byte === 0x7f;
    return isControl ? 0x3f : byte;
  });
}

/** `warning: MESSAGE`. */
export function warn(message: string): void {
  writeError(`warning: ${message}\n`);
}

/** Advice, as Git gives it: `hint: LINE` for each line. */
export function hint(message: string): void {
  writeError(message.replace(/^/gm, 'hint: ').concat('\n'));
}
