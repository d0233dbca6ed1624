// Writing the format's variable-length integers; `ByteReader` reads them.
//
//   7 bits a byte, the most significant first; the top bit says that another byte follows. Each
//   continuation adds one, so that no number has two encodings (as in Git's pack offsets):
//
//     0..127          0xxxxxxx
//     128..16511      1xxxxxxx 0xxxxxxx      and so on, 8 bytes for 2^53-1

/** The longest encoding of a number up to 2^53-1, bytes. */
export const MAX_VARINT_LENGTH = 8;

/** Writes `value` (0..2^53-1) at `at` and returns the position after it. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  if (value < 0x80) {
    bytes[at] = value;
    return at + 1;
  }
  const length = varintLength(value);
  let rest = value;
  bytes[at + length - 1] = rest % 0x80;
  for (let i = at + length - 2; i >= at; i--) {
    rest = Math.floor(rest / 0x80) - 1;
    bytes[i] = 0x80 | (rest % 0x80);
  }
  return at + length;
}

/** How many bytes `value` takes. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = Math.floor(value / 0x80); rest > 0; rest = Math.floor((rest - 1) / 0x80))
    length++;
  return length;
}
