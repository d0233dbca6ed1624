// `packed-refs` version 2 as records: `layout.ts` draws it.

import type { ObjectFormat } from '../../../format/object-format.ts';
import type { ByteSource } from '../byte-source.ts';
import type { PackedRecords, PackedRef } from '../packed-ref.ts';
import { RowCursor } from './cursor.ts';
import { readLayout } from './layout.ts';
import { Rows } from './rows.ts';

export class RowRecords implements PackedRecords {
  readonly version = 2;
  readonly rows: Rows;

  /** Looks at where the chunks are, and how long. Throws `CORRUPT_REF`. */
  constructor(path: string, source: ByteSource, objectFormat: ObjectFormat) {
    this.rows = new Rows(path, source, readLayout(path, source, objectFormat), objectFormat);
  }

  find(name: Uint8Array): PackedRef | undefined {
    const { row, isFound } = this.rows.seek(name);
    if (!isFound) return undefined;
    const cursor = new RowCursor(this.rows, row);
    cursor.next();
    return cursor.ref();
  }

  from(name: Uint8Array): RowCursor {
    return new RowCursor(this.rows, this.rows.seek(name).row);
  }
}
