// The commands of `update-ref --stdin` as programs write them by the thousand, `create REF OID` and the
// like with nothing quoted and each object id in full, from bytes straight into a batch. Whatever else a
// line may be is left to the reader of any command.

import { encodeText } from '../../format/text.ts';
import { plainRefNameEnd } from '../../refs/ref-name.ts';
import type { UpdateBatch } from '../../refs/transaction/update-batch.ts';

const LINE_FEED = 0x0a;
const SPACE = 0x20;

type PlainType = 'create' | 'update' | 'delete' | 'verify';

/** The commands by their first letter; all names are six letters long. */
const COMMANDS = new Map<number, { type: PlainType; start: Uint8Array }>(
  (['create', 'update', 'delete', 'verify'] as const).map((type) => [
    type.charCodeAt(0),
    { type, start: encodeText(`${type} `) },
  ]),
);

/**
 * Adds the commands at the start of `bytes[start, end)` to the batch, up to the first line that is not
 * plain or not whole, and returns where that starts.
 */
export function addPlainCommands(
  batch: UpdateBatch,
  bytes: Uint8Array,
  start: number,
  end: number,
  deref: boolean,
): number {
  const digits = 2 * batch.oidLength;
  for (let at = start; at < end; ) {
    const command = COMMANDS.get(bytes[at]!);
    if (command === undefined || !startsWith(bytes, at, command.start)) return at;
    const nameStart = at + command.start.length;
    const nameEnd = plainRefNameEnd(bytes, nameStart, end);
    if (nameEnd < 0) return at;
    // Where the object ids have to be, if there are any; a line that is cut off has no line feed there.
    const first = bytes[nameEnd] === SPACE ? nameEnd + 1 : -1;
    const firstEnd = first < 0 ? nameEnd : first + digits;
    const takesTwo = command.type === 'update';
    const second = takesTwo && first >= 0 && bytes[firstEnd] === SPACE ? firstEnd + 1 : -1;
    const lineEnd = second < 0 ? firstEnd : second + digits;
    if (lineEnd >= end || bytes[lineEnd] !== LINE_FEED) return at;
    const writes = command.type === 'create' || takesTwo;
    if (writes && first < 0) return at;
    const newAt = writes ? first : -1;
    const oldAt = takesTwo ? second : writes ? -1 : first;
    if (!batch.addPlain(command.type, bytes, nameStart, nameEnd, newAt, oldAt, deref)) return at;
    at = lineEnd + 1;
  }
  return end;
}

function startsWith(bytes: Uint8Array, at: number, prefix: Uint8Array): boolean {
  for (let i = 0; i < prefix.length; i++) {
    if (bytes[at + i] !== prefix[i]) return false;
  }
  return true;
}
