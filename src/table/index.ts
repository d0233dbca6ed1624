// `reftable/table`: whole tables, from any source of bytes and into bytes, without a folder or a lock.

export { RefError, type RefErrorCode, ReftableFormatError } from '../errors.ts';
export type { Compression } from '../format/compression.ts';
export type { LogEntry, LogRecord, RefRecord } from '../format/records.ts';
export { MergedTable } from './merged-table.ts';
export { Table } from './table.ts';
export { bufferSource, type TableSource } from './table-source.ts';
export { TableWriter, type WrittenTable } from './table-writer.ts';
export type { TableWriterOptions } from './table-writer-options.ts';
