// `packed-refs` version 2 as records: `layout.ts` draws it.

import { type ObjectFormat, readHex } from '../../../format/object-format.ts';
import { Scratch } from '../../../format/scratch.ts';
import type { ByteSource } from '../byte-source.ts';
import type { PackedRecords, PackedRef } from '../packed-ref.ts';
import { RowCursor } from './cursor.ts';
import { readLayout } from './layout.ts';
import { Rows } from './rows.ts';

export class RowRecords implements PackedRecords {
  readonly version = 2;
  readonly rows: Rows;
  readonly #name = new Scratch();

  /** Looks at where the chunks are, and how long. Throws `CORRUPT_REF`. */
  constructor(path: string, source: ByteSource, objectFormat: ObjectFormat) {
    this.rows = new Rows(path, source, readLayout(path, source, objectFormat), objectFormat);
  }

  find(name: string): PackedRef | undefined {
    const { row, isFound } = this.rows.seek(this.#name.encode(name));
    if (!isFound) return undefined;
    const { oidSize } = this.rows;
    const { ids, hasPeeled } = this.rows.idsOf(row);
    return {
      name,
      oid: readHex(ids, 0, oidSize),
      peeled: hasPeeled ? readHex(ids, oidSize, oidSize) : undefined,
      isPeeled: true,
      hasBadName: false,
    };
  }

  from(name: string): RowCursor {
    return new RowCursor(this.rows, this.rows.seek(this.#name.encode(name)).row);
  }
}
