// The records of transactions that write to several stacks: each goes to the table of the stack that its ref is in,
// under the name that it has there. They are kept until the end, for long names are not in the order of short ones.

import { RefError } from '../../errors.ts';
import { type ObjectFormat, oidSize, readHex } from '../../format/object-format.ts';
import { logKeySuffix } from '../../format/record-encoder.ts';
import { LOG_KEY_SUFFIX, type LogRecord, type RefRecord } from '../../format/records.ts';
import { compareText, decodeText, encodeText } from '../../format/text.ts';
import type { Stack } from '../../stack/stack.ts';
import type { WrittenTable } from '../../table/table-writer.ts';
import type { RecordWriter } from '../transaction/held-lock.ts';
import type { WorktreeStacks } from './worktree-stacks.ts';

/** The tables of several stacks; the sizes and counts are those of all. */
export class SplitTable implements WrittenTable {
  readonly tables: ReadonlyMap<Stack, WrittenTable>;
  readonly chunks: Uint8Array[];
  readonly size: number;
  readonly minUpdateIndex: number;
  readonly maxUpdateIndex: number;
  readonly refCount: number;
  readonly logCount: number;

  constructor(
    tables: ReadonlyMap<Stack, WrittenTable>,
    minUpdateIndex: number,
    maxUpdateIndex: number,
  ) {
    const all = [...tables.values()];
    const total = (count: (table: WrittenTable) => number) =>
      all.reduce((sum, table) => sum + count(table), 0);
    this.tables = tables;
    this.chunks = all.flatMap(({ chunks }) => chunks);
    this.size = total(({ size }) => size);
    this.minUpdateIndex = minUpdateIndex;
    this.maxUpdateIndex = maxUpdateIndex;
    this.refCount = total(({ refCount }) => refCount);
    this.logCount = total(({ logCount }) => logCount);
  }
}

/** A stack that is written to. */
export interface SplitTarget {
  /** How far its update indexes are ahead of those that the records are given with. */
  offset: number;
  open(minUpdateIndex: number, maxUpdateIndex: number): RecordWriter;
}

export interface SplitWriterOptions {
  stacks: WorktreeStacks;
  targets: ReadonlyMap<Stack, SplitTarget>;
  objectFormat: ObjectFormat;
  minUpdateIndex: number;
  maxUpdateIndex: number;
}

/** An entry as a record, or as what stands behind its key. */
type LogItem = LogRecord & { value?: Uint8Array };

class Part {
  readonly refs: RefRecord[] = [];
  readonly logs: LogItem[] = [];
  readonly offset: number;

  constructor(offset: number) {
    this.offset = offset;
  }

  /** Throws `NAME_CONFLICT` where a ref was reached in two ways. */
  writeTo(writer: RecordWriter): WrittenTable {
    const { refs, logs } = this;
    refs.sort((a, b) => compareText(a.name, b.name));
    logs.sort((a, b) => compareText(a.name, b.name) || b.updateIndex - a.updateIndex);
    refs.forEach((record, i) => {
      if (record.name === refs[i - 1]?.name) throw updatedTwice(record.name);
      writer.addRef(record);
    });
    logs.forEach(({ value, ...record }, i) => {
      const { name, updateIndex } = record;
      const before = logs[i - 1];
      if (name === before?.name && updateIndex === before.updateIndex) throw updatedTwice(name);
      if (value === undefined) {
        writer.addLog(record);
        return;
      }
      const key = Buffer.concat([encodeText(name), logKeySuffix(updateIndex)]);
      writer.addLogEntry(key, 0, key.length, -1, value);
    });
    return writer.finish();
  }
}

export class SplitWriter implements RecordWriter {
  readonly #options: SplitWriterOptions;
  readonly #oidLength: number;
  readonly #parts = new Map<Stack, Part>();

  constructor(options: SplitWriterOptions) {
    this.#options = options;
    this.#oidLength = oidSize(options.objectFormat);
  }

  addRef(record: RefRecord): void {
    const { part, name } = this.#locate(record.name);
    part.refs.push({ ...record, name, updateIndex: record.updateIndex + part.offset });
  }

  addDirectRef(
    names: Uint8Array,
    start: number,
    end: number,
    _shared: number,
    updateIndex: number,
    oids: Uint8Array,
    at: number,
  ): void {
    const name = decodeText(names, start, end);
    this.addRef({ name, updateIndex, oid: readHex(oids, at, this.#oidLength) });
  }

  addLog(record: LogRecord): void {
    const { part, name } = this.#locate(record.name);
    // A tombstone is for an entry that the stack has already.
    const offset = record.entry === undefined ? 0 : part.offset;
    part.logs.push({ ...record, name, updateIndex: record.updateIndex + offset });
  }

  addLogEntry(
    keys: Uint8Array,
    start: number,
    end: number,
    _shared: number,
    value: Uint8Array,
  ): void {
    const nul = end - LOG_KEY_SUFFIX;
    const { part, name } = this.#locate(decodeText(keys, start, nul));
    const updateIndex = Number(
      0xffffffffffffffffn - Buffer.from(keys.subarray(nul + 1, end)).readBigUInt64BE(),
    );
    part.logs.push({ name, updateIndex: updateIndex + part.offset, value: value.slice() });
  }

  finish(): SplitTable {
    const { targets, minUpdateIndex, maxUpdateIndex } = this.#options;
    const tables = new Map<Stack, WrittenTable>();
    for (const [stack, part] of this.#parts) {
      const { open, offset } = targets.get(stack)!;
      const writer = open(minUpdateIndex + offset, maxUpdateIndex + offset);
      tables.set(stack, part.writeTo(writer));
    }
    return new SplitTable(tables, minUpdateIndex, maxUpdateIndex);
  }

  #locate(name: string): { part: Part; name: string } {
    const { stacks, targets } = this.#options;
    const { stack, name: there } = stacks.locate(name);
    let part = this.#parts.get(stack!);
    if (part === undefined) {
      part = new Part(targets.get(stack!)!.offset);
      this.#parts.set(stack!, part);
    }
    return { part, name: there };
  }
}

function updatedTwice(name: string): RefError {
  const message = `multiple updates for ref '${name}' not allowed`;
  return new RefError('NAME_CONFLICT', message, { ref: name });
}
