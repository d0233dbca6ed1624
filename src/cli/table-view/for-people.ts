// A table as `dump` shows it to people: what header and footer say, then block by block its records.

import { basename } from 'node:path';
import { type Block, type BlockType, INDEX_BLOCK, LOG_BLOCK } from '../../format/block.ts';
import { footerSize } from '../../format/header.ts';
import { formatTimezone, timezoneFromHhmm } from '../../reflog/date.ts';
import {
  BLOCK_NAMES,
  blockLength,
  type LogRow,
  type RecordRow,
  type RefRow,
  readRecords,
} from '../../table/record-rows.ts';
import type { Table } from '../../table/table.ts';
import { stdout } from '../output.ts';
import {
  type Alignment,
  bar,
  bold,
  columns,
  dim,
  formatCount,
  plural,
  printable,
} from '../text-layout.ts';

/** How wide the bar is that tells how full a block is. */
const FILL_WIDTH = 16;
/** Digits of an object id in a log entry, of which a line shows two. */
const ABBREVIATION = 10;

/** Prints header, footer, and every block with its records. Throws `ReftableFormatError`. */
export function printRecords(table: Table): void {
  printFrame(table);
  for (const { block, indexed } of blocksOf(table)) {
    const rows = [...readRecords(table, block, indexed)];
    stdout.write(`\n${heading(block, indexed, rows.length)}\n`);
    printRows(rows);
  }
  stdout.write(`\n${dim('* restart point: the key is stored whole')}\n`);
}

/** Prints header, footer, and one line a block. Throws `ReftableFormatError`. */
export function printBlocks(table: Table): void {
  printFrame(table);
  const { blockSize } = table.header;
  const rows = [['block', 'at', 'bytes', 'inflated', 'records', 'restarts', 'fill', 'first key']];
  for (const { block, indexed } of blocksOf(table)) {
    let count = 0;
    let first = '';
    for (const row of readRecords(table, block, indexed)) if (count++ === 0) first = keyOf(row);
    rows.push([
      blockName(block, indexed),
      formatCount(block.offset),
      formatCount(block.storedLength),
      block.type === LOG_BLOCK ? formatCount(blockLength(block)) : '',
      formatCount(count),
      formatCount(block.restartCount),
      blockSize > 0 ? bar(blockLength(block) / blockSize, FILL_WIDTH) : '',
      printable(first),
    ]);
  }
  const numbers: Alignment[] = ['right', 'right', 'right', 'right', 'right'];
  stdout.write(`\n${columns(rows, ['left', ...numbers, 'left', 'left'])}`);
}

function printFrame(table: Table): void {
  const { header, footer, size } = table;
  const { version, objectFormat, blockSize, minUpdateIndex, maxUpdateIndex } = header;
  const aligned = blockSize === 0 ? 'blocks not aligned' : `blocks of ${formatCount(blockSize)}`;
  const sections = [
    ['ref index', footer.refIndexOffset],
    ['objects', footer.objectOffset],
    ['object index', footer.objectIndexOffset],
    ['log', footer.logOffset],
    ['log index', footer.logIndexOffset],
  ] as const;
  const found = sections
    .filter(([, offset]) => offset > 0)
    .map(([name, offset]) => `${name} at ${formatCount(offset)}`);
  if (footer.objectIdLength > 0)
    found.push(`object ids cut to ${plural(footer.objectIdLength, 'byte')}`);
  const footerAt = formatCount(size - footerSize(version));
  stdout.write(`${bold(printable(basename(table.name)))}  ${plural(size, 'byte')}\n`);
  const updates = `update indexes ${minUpdateIndex} to ${maxUpdateIndex}`;
  stdout.write(`  header  version ${version}, ${objectFormat}, ${aligned}, ${updates}\n`);
  stdout.write(`  footer  at ${footerAt}: ${found.join(', ') || 'no other sections'}\n`);
}

/** The blocks in order, each with the type of the blocks that it leads to if it is an index. */
export function* blocksOf(table: Table): IterableIterator<{ block: Block; indexed: BlockType }> {
  let indexed: BlockType = INDEX_BLOCK;
  for (const block of table.blocks()) {
    // An index stands behind the blocks that it is over.
    if (block.type !== INDEX_BLOCK) indexed = block.type;
    yield { block, indexed };
  }
}

function blockName({ type }: Block, indexed: BlockType): string {
  return type === INDEX_BLOCK ? `${BLOCK_NAMES[indexed]} index` : BLOCK_NAMES[type];
}

function heading(block: Block, indexed: BlockType, records: number): string {
  const parts = [
    `at ${formatCount(block.offset)}`,
    plural(block.storedLength, 'byte'),
    plural(records, 'record'),
    plural(block.restartCount, 'restart point'),
  ];
  if (block.type === LOG_BLOCK) {
    parts[1] += `, ${formatCount(blockLength(block))} inflated`;
  }
  return `${bold(`${blockName(block, indexed)} block`)} ${parts.join(', ')}`;
}

function printRows(rows: readonly RecordRow[]): void {
  const alignments: Alignment[] = ['right', 'left', 'left', 'left', 'left', 'left'];
  if (rows[0]?.type === 'ref' || rows[0]?.type === 'log') alignments[3] = 'right';
  const cells = rows.map((row) => [
    dim(String(row.position)),
    row.isRestart ? '*' : ' ',
    printable(keyOf(row)),
    ...valueCells(row),
  ]);
  stdout.write(columns(cells, alignments, '  '));
}

function keyOf(row: RecordRow): string {
  switch (row.type) {
    case 'ref':
    case 'log':
      return row.name;
    case 'object':
      return row.oidPrefix;
    case 'index':
      return row.lastKey;
  }
}

function valueCells(row: RecordRow): string[] {
  switch (row.type) {
    case 'ref':
      return [`@${row.updateIndex}`, refValue(row)];
    case 'log':
      return [`@${row.updateIndex}`, ...logValue(row)];
    case 'object':
      return [
        `in ref blocks at ${row.refBlocks?.map(formatCount).join(' ') ?? '(too many to list)'}`,
      ];
    case 'index':
      return [`is the last key in the block at ${formatCount(row.block)}`];
  }
}

function refValue({ oid, peeled, target }: RefRow): string {
  if (target !== undefined) return `-> ${printable(target)}`;
  if (oid === undefined) return 'deleted';
  return peeled === undefined ? oid : `${oid} peeled ${peeled}`;
}

function logValue({ entry }: LogRow): string[] {
  if (entry === undefined) return ['deleted'];
  const { oldOid, newOid, committerName, email, message } = entry;
  const change = `${oldOid.slice(0, ABBREVIATION)}..${newOid.slice(0, ABBREVIATION)}`;
  const text = message.endsWith('\n') ? message.slice(0, -1) : message;
  const who = `${committerName} <${email}>`;
  return [change, `${formatDate(entry)}  ${printable(who)}  ${printable(text)}`];
}

/** `2023-11-14 22:13:20 +0100`, the time on the committer's clock. */
function formatDate({ time, timezone }: { time: number; timezone: number }): string {
  const minutes = timezoneFromHhmm(timezone);
  const local = new Date((time + minutes * 60) * 1000);
  // What no calendar holds is shown as the number that it is.
  if (Number.isNaN(local.getTime())) return String(time);
  return `${local.toISOString().slice(0, 19).replace('T', ' ')} ${formatTimezone(minutes)}`;
}
