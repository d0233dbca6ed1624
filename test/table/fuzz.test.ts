import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ReftableFormatError } from '../../src/format/index.ts';
import { fixtures } from '../support/fixtures.ts';
import { editLogBlock, fixCrc, footerStart, large, readEverything, small } from './damage.ts';
import { manyLogs, manyRefs, openTable, writeTable } from './tables.ts';

/** Set REFTABLE_FUZZ_SEED to see a run again. */
const SEED = Number(process.env.REFTABLE_FUZZ_SEED ?? Date.now() % 2 ** 32);
const RUNS = 4000;
const TIME_LIMIT = 10_000;

/** Of each kind a few, small enough to be read thousands of times. */
const tables = [
  ...fixtures().flatMap((fixture) => fixture.tables.map((path) => readFileSync(path))),
  small,
  large,
  writeTable({ refs: manyRefs(60) }, { blockSize: 128, aligned: false }),
  writeTable({ refs: manyRefs(60, 64), logs: [] }, { blockSize: 200, objectFormat: 'sha256' }),
  writeTable({ logs: manyLogs(40) }, { blockSize: 300 }),
  writeTable({ refs: manyRefs(9), logs: manyLogs(9) }, { version: 2, blockSize: 0xffffff }),
].filter((table) => table.length < 35_000);

describe(`mutated tables (seed ${SEED})`, () => {
  it('are read or refused, soon, and never anything else', () => {
    const random = randomNumbers(SEED);
    const start = performance.now();
    let refused = 0;
    let run = 0;
    for (; run < RUNS && performance.now() - start < TIME_LIMIT; run++) {
      const mutant = mutate(tables[random(tables.length)]!, random);
      const before = performance.now();
      try {
        const errors = readEverything(mutant);
        if (errors.length > 0) refused++;
        for (const error of errors) expect(error).toBeInstanceOf(ReftableFormatError);
      } catch (cause) {
        throw new Error(`run ${run} of REFTABLE_FUZZ_SEED=${SEED}`, { cause });
      }
      // A hundred times what the slowest takes, so that a busy machine does not fail it.
      expect(performance.now() - before, `run ${run} of REFTABLE_FUZZ_SEED=${SEED}`).toBeLessThan(
        3000,
      );
    }
    expect(run).toBeGreaterThan(RUNS / 4);
    // Many mutations must be found out, and some must not be: else they end at the footer's CRC.
    expect(refused).toBeGreaterThan(run / 4);
    expect(refused).toBeLessThan(run);
  });
});

type Random = (below: number) => number;

/** Changes a table in one to four places; half of the time its CRC is made right again. */
function mutate(table: Buffer, random: Random): Buffer {
  let mutant: Buffer = Buffer.from(table);
  const places = 1 + random(4);
  for (let i = 0; i < places; i++) mutant = mutateOnce(mutant, random);
  return random(2) === 0 ? fixCrc(mutant) : mutant;
}

function mutateOnce(table: Buffer, random: Random): Buffer {
  const at = place(table, random);
  switch (random(8)) {
    case 0: // a bit
      table[at]! ^= 1 << random(8);
      return table;
    case 1: // a byte
      table[at] = random(256);
      return table;
    case 2: // an edge of what a byte or a varint can hold
      table[at] = [0, 1, 0x7f, 0x80, 0xff][random(5)]!;
      return table;
    case 3: // a stretch of one value
      return table.fill([0, 0xff, 0x80][random(3)]!, at, Math.min(table.length, at + random(12)));
    case 4: {
      // a stretch from elsewhere
      const from = random(table.length);
      table.copy(table, at, from, from + random(40));
      return table;
    }
    case 5: // a number one up or down
      table[at] = table[at]! + (random(2) === 0 ? 1 : -1);
      return table;
    case 6: // something less, or more, so that all that follows is elsewhere
      return random(2) === 0
        ? Buffer.concat([table.subarray(0, at), table.subarray(at + 1 + random(30))])
        : Buffer.concat([table.subarray(0, at), Buffer.alloc(1 + random(30)), table.subarray(at)]);
    default:
      return mutateLog(table, random);
  }
}

/** Where a header, a footer, the start of a block or any byte is. */
function place(table: Buffer, random: Random): number {
  const length = Math.max(1, table.length);
  switch (random(5)) {
    case 0:
      return random(Math.min(length, 40));
    case 1:
      return Math.max(0, length - 1 - random(72));
    case 2: {
      const blockSize = table.length > 8 ? table.readUIntBE(5, 3) : 0;
      return Math.min(length - 1, blockSize * random(10) + random(8));
    }
    default:
      return random(length);
  }
}

/** Changes what the last log block inflates to, where there is one to be changed. */
function mutateLog(table: Buffer, random: Random): Buffer {
  try {
    const { footer, header } = openTable(fixCrc(Buffer.from(table)));
    const isLog = footer.logOffset > 0 || table[header.version === 1 ? 24 : 28] === 0x67;
    if (!isLog || footer.logIndexOffset > 0 || footerStart(table) < 0) return table;
    return editLogBlock(table, footer.logOffset, (content) => {
      for (let i = random(3); i >= 0; i--) content[random(content.length)] = random(256);
    });
  } catch {
    return table;
  }
}

/** Whole numbers below a limit: xorshift32. */
function randomNumbers(seed: number): Random {
  let state = seed || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}
