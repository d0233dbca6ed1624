// What fast-check draws tables from: names and messages of any bytes, every kind of record, every kind
// of table.

import fc from 'fast-check';
import { decodeText, encodeText, type ObjectFormat, oidSize } from '../../src/format/index.ts';
import type { LogEntry, LogRecord, RefRecord } from '../../src/table/index.ts';
import type { Options, Records } from './tables.ts';

/** Bytes in pieces that share prefixes often, and are ASCII, other UTF-8, or no UTF-8 at all. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('refs/heads/', 'refs/tags/', 'a', 'b', '-', '/', '1') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('é', '中', '\u{ff5e}', '\u{1f600}', '\u{10ffff}', '\ud7ff'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom('long/'.repeat(20), 'x'.repeat(131)) },
);
const utf8 = piece.map(encodeText);
const raw = fc.uint8Array({ maxLength: 4 });

/** Any bytes, as text. */
const text: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 5, arbitrary: utf8 }, { weight: 1, arbitrary: raw }), { maxLength: 6 })
  .map((parts) => decodeText(Buffer.concat(parts)));

/** Any bytes but NUL, at least one. */
export const name: fc.Arbitrary<string> = text
  .map((drawn) => drawn.replaceAll('\0', '') || 'HEAD')
  // Bytes that NUL kept apart may be a character now.
  .map((drawn) => decodeText(encodeText(drawn)));

function oid(format: ObjectFormat): fc.Arbitrary<string> {
  const size = oidSize(format);
  return fc.oneof(
    fc.integer({ min: 0, max: 3 }).map((n) => n.toString(16).padStart(2 * size, '0')),
    fc
      .uint8Array({ minLength: size, maxLength: size })
      .map((bytes) => Buffer.from(bytes).toString('hex')),
  );
}

const updateIndex = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
);

export function refRecord(format: ObjectFormat, refName = name): fc.Arbitrary<RefRecord> {
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.record({ oid: oid(format) }) },
    { weight: 2, arbitrary: fc.record({ oid: oid(format), peeled: oid(format) }) },
    { weight: 1, arbitrary: fc.record({ target: text }) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
  return fc
    .tuple(fc.record({ name: refName, updateIndex }), value)
    .map(([key, rest]) => ({ ...key, ...rest }));
}

function entry(format: ObjectFormat): fc.Arbitrary<LogEntry> {
  return fc.record({
    oldOid: oid(format),
    newOid: oid(format),
    committerName: text,
    email: text,
    time: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    timezone: fc.oneof(
      fc.integer({ min: -1400, max: 1400 }),
      fc.integer({ min: -32768, max: 32767 }),
    ),
    message: text,
  });
}

export function logRecord(format: ObjectFormat, refName = name): fc.Arbitrary<LogRecord> {
  return fc
    .tuple(fc.record({ name: refName, updateIndex }), fc.option(entry(format), { nil: undefined }))
    .map(([key, value]) => (value === undefined ? key : { ...key, entry: value }));
}

/** The order of the names' bytes. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(encodeText(a), encodeText(b));
}

/** Sorts records as a table has to hold them, and keeps one of each key. */
export function sortedRecords({ refs, logs }: Records): Records {
  const lastOfKey = <T>(records: T[], key: (record: T) => string) => [
    ...new Map(records.map((record) => [key(record), record])).values(),
  ];
  return {
    refs: lastOfKey(refs, (ref) => ref.name).sort((a, b) => byBytes(a.name, b.name)),
    logs: lastOfKey(logs, (log) => `${log.name}\0${log.updateIndex}`).sort(
      (a, b) => byBytes(a.name, b.name) || b.updateIndex - a.updateIndex,
    ),
  };
}

/** The kinds of tables there are. */
const kind = fc.constantFrom<{ objectFormat: ObjectFormat; version: 1 | 2 }>(
  { objectFormat: 'sha1', version: 1 },
  { objectFormat: 'sha1', version: 2 },
  { objectFormat: 'sha256', version: 2 },
);

/** Records, and options with which they can be written: the block size is often the smallest. */
export const records: fc.Arbitrary<Records & { options: Options }> = kind.chain((chosen) =>
  fc
    .record({
      refs: fc.array(refRecord(chosen.objectFormat), { maxLength: 60, size: 'max' }),
      logs: fc.array(logRecord(chosen.objectFormat), { maxLength: 40, size: 'max' }),
      spare: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(3000, 60_000, 1_000_000)),
      restartInterval: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(65_535)),
      aligned: fc.boolean(),
      indexObjects: fc.boolean(),
    })
    .map(({ refs, logs, spare, ...options }) => {
      const sorted = sortedRecords({ refs, logs });
      return {
        ...sorted,
        options: {
          ...chosen,
          ...options,
          minUpdateIndex: 0,
          maxUpdateIndex: Number.MAX_SAFE_INTEGER,
          blockSize: smallestBlockSize(sorted, oidSize(chosen.objectFormat)) + spare,
        },
      };
    }),
);

/** A block size that surely holds each of the records, and two of their keys in an index block. */
function smallestBlockSize({ refs, logs }: Records, oidLength: number): number {
  const length = (drawn = '') => encodeText(drawn).length;
  const sizes = [
    ...refs.map((ref) => Math.max(2 * length(ref.name), length(ref.name) + length(ref.target))),
    ...logs.map(({ name: ref, entry: e }) =>
      Math.max(
        2 * length(ref),
        length(ref) + length(e?.committerName) + length(e?.email) + length(e?.message),
      ),
    ),
  ];
  // The file's header, the block's, two object ids, and what the varints and restarts take.
  return 28 + 4 + 2 * oidLength + 60 + sizes.reduce((most, size) => Math.max(most, size), 0);
}
