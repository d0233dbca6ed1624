// Several tables seen as one: where more than one has a key, the newest one's record counts, and a
// tombstone hides what older tables have. Which is newer is the tables' order, not their update indexes.

import { writeOid } from '../format/object-format.ts';
import type { LogRecord, RefRecord } from '../format/records.ts';
import { compareText, encodeText } from '../format/text.ts';
import { MergedCursor } from './merged-cursor.ts';
import { RefIterator } from './ref-iterator.ts';
import type { Table } from './table.ts';
import { TableCursor } from './table-cursor.ts';

/** So many entries of a reflog are stepped over before a seek is cheaper. */
const MAX_STEPS = 32;

export class MergedTable {
  /** Oldest first. */
  readonly tables: readonly Table[];

  constructor(tables: readonly Table[]) {
    this.tables = tables;
  }

  /** The ref of that name; `undefined` if there is none. Throws `ReftableFormatError`. */
  readRef(name: string): RefRecord | undefined {
    const key = encodeText(name);
    for (let i = this.tables.length - 1; i >= 0; i--) {
      const record = this.tables[i]!.readRef(key, name);
      if (record !== undefined) return isTombstone(record) ? undefined : record;
    }
    return undefined;
  }

  /** A cursor over the refs, tombstones included, which has to be moved to its first record. */
  refCursor(): MergedCursor {
    return new MergedCursor(this.tables, 'refs');
  }

  /** A cursor over the log records, tombstones included, which has to be moved to its first record. */
  logCursor(): MergedCursor {
    return new MergedCursor(this.tables, 'logs');
  }

  /**
   * The refs from the name `from` on whose names begin with `prefix`, in byte order; `onEnd` is called
   * when the iterator ends. Throws `ReftableFormatError`.
   */
  refs(prefix = '', from = prefix, onEnd: () => void = () => {}): RefIterator {
    const start = encodeText(compareText(from, prefix) > 0 ? from : prefix);
    const cursor = this.refCursor();
    const isAt = start.length === 0 ? cursor.seekFirst() : cursor.seek(start);
    return new RefIterator(cursor, isAt, encodeText(prefix), onEnd);
  }

  /** The log entries of a ref, newest first. Throws `ReftableFormatError`. */
  *log(name: string): IterableIterator<LogRecord> {
    const prefix = logKeyPrefix(name);
    const cursor = this.logCursor();
    let more = cursor.seek(prefix);
    while (more && cursor.hasPrefix(prefix)) {
      if (!cursor.isTombstone) yield cursor.log(name);
      more = cursor.next();
    }
  }

  /** The names that have log entries, in byte order. Throws `ReftableFormatError`. */
  *logNames(): IterableIterator<string> {
    const cursor = this.logCursor();
    let more = cursor.seekFirst();
    while (more) {
      if (cursor.isTombstone) {
        more = cursor.next();
        continue;
      }
      const name = cursor.logName();
      yield name;
      const prefix = logKeyPrefix(name);
      more = cursor.next();
      for (let steps = 1; more && cursor.hasPrefix(prefix); steps++) {
        more = steps < MAX_STEPS ? cursor.next() : cursor.seek(behindLog(name));
      }
    }
  }

  /**
   * The refs whose object id or peeled object id is `oid`, in byte order of their names. Reads only the
   * blocks that hold it in tables with an object section, and all refs of the others.
   * Throws `ReftableFormatError`.
   */
  *refsPointingAt(oid: string): IterableIterator<RefRecord> {
    const bytes = new Uint8Array(oid.length >> 1);
    writeOid(bytes, 0, oid);
    const names = new Set<string>();
    for (const table of this.tables) collectNames(table, bytes, oid, names);
    for (const name of [...names].sort(compareText)) {
      const record = this.readRef(name);
      if (record !== undefined && pointsAt(record, oid)) yield record;
    }
  }
}

/** What the log keys of a ref begin with: its name and NUL. */
export function logKeyPrefix(name: string): Uint8Array {
  return encodeText(`${name}\0`);
}

/** What comes behind the log keys of a ref: they are its name, NUL, and eight bytes. */
function behindLog(name: string): Uint8Array {
  return encodeText(`${name}\x01`);
}

function isTombstone(record: RefRecord): boolean {
  return record.oid === undefined && record.target === undefined;
}

function pointsAt(record: RefRecord, oid: string): boolean {
  return record.oid === oid || record.peeled === oid;
}

/** Adds the names of a table's refs that hold `oid`. */
function collectNames(table: Table, bytes: Uint8Array, oid: string, names: Set<string>): void {
  const cursor = new TableCursor(table, 'refs');
  const offsets = table.blocksWithObject(bytes);
  const collect = (first: boolean, next: () => boolean) => {
    for (let more = first; more; more = next()) {
      const record = cursor.ref();
      if (pointsAt(record, oid)) names.add(record.name);
    }
  };
  if (offsets === undefined) collect(cursor.seekFirst(), () => cursor.next());
  else for (const offset of offsets) collect(cursor.enterBlock(offset), () => cursor.nextInBlock());
}
