// `reftable/format`: bytes to records and back, without a file system, Node or anything asynchronous.

export { RefError, type RefErrorCode, ReftableFormatError } from '../errors.ts';
export {
  type Block,
  type BlockContext,
  type BlockType,
  INDEX_BLOCK,
  LOG_BLOCK,
  OBJECT_BLOCK,
  parseBlock,
  REF_BLOCK,
} from './block.ts';
export type { Compression, Inflated } from './compression.ts';
export {
  decodeFooter,
  decodeHeader,
  encodeFooter,
  footerSize,
  headerSize,
  type TableFooter,
  type TableHeader,
  writeHeader,
} from './header.ts';
export { isOid, type ObjectFormat, oidSize, zeroOid } from './object-format.ts';
export type { LogEntry, LogRecord, RefRecord } from './records.ts';
export { compareText, decodeText, encodeText } from './text.ts';
