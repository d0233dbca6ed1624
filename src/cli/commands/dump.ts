// `reftable dump`: the inside of one table.

import { footerSize } from '../../format/header.ts';
import { openFileSource } from '../../stack/file-source.ts';
import { systemReason } from '../../storage/io-error.ts';
import { nodeCompression } from '../../storage/node-compression.ts';
import { nodeFileSystem } from '../../storage/node-file-system.ts';
import { BLOCK_NAMES, blockLength, readRecords, restartOffsets } from '../../table/record-rows.ts';
import { Table } from '../../table/table.ts';
import { parseArguments } from '../arguments.ts';
import { die, UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { blocksOf, printBlocks, printRecords } from '../table-view/for-people.ts';

export const help = `usage: reftable dump [--blocks] [--json] <file>

    --blocks              one line a block, not one a record
    --json                everything, for programs

Offsets are bytes from the start of the file. The number before a record is where it stands in its
block's bytes; those of a log block are inflated.
`;

export function run(args: readonly string[]): number {
  const { options, operands } = parseArguments(args, { blocks: {}, json: {} });
  const [file] = operands;
  if (file === undefined || operands.length > 1) throw new UsageError();
  const table = openTable(file);
  try {
    if (options.json === true) printJson(table, options.blocks !== true);
    else if (options.blocks === true) printBlocks(table);
    else printRecords(table);
  } finally {
    table.close();
  }
  return 0;
}

function openTable(file: string): Table {
  try {
    return Table.open(openFileSource(nodeFileSystem, file), nodeCompression);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return die(`cannot open '${file}': ${systemReason(error)}`);
  }
}

/** Prints block by block, so that a large table need not fit in memory. */
function printJson(table: Table, withRecords: boolean): void {
  const { name, size, header, footer } = table;
  const footerOffset = size - footerSize(header.version);
  const frame = { file: name, size, header, footer: { offset: footerOffset, ...footer } };
  stdout.write(`${JSON.stringify(frame).slice(0, -1)},"blocks":[`);
  let separator = '\n';
  for (const { block, indexed } of blocksOf(table)) {
    const { type, offset, storedLength, recordsStart } = block;
    const description = {
      type: BLOCK_NAMES[type],
      offset,
      storedLength,
      length: blockLength(block),
      recordsStart,
      restarts: restartOffsets(block),
    };
    const records = withRecords ? [...readRecords(table, block, indexed)] : undefined;
    stdout.write(`${separator}${JSON.stringify({ ...description, records })}`);
    separator = ',\n';
  }
  stdout.write('\n]}\n');
}
