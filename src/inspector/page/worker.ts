// Reads the tables in a thread of its own, so that the page never waits for a million records.

import { Inspection, type TableFile } from '../inspection.ts';
import { pakoCompression } from './pako-compression.ts';

/** What can be asked, as it is answered. */
const answers = {
  open(files: TableFile[], geometricFactor: number) {
    inspection = new Inspection(files, pakoCompression, geometricFactor);
    return inspection.outline;
  },
  refs: (start: number, count: number) => opened().refs(start, count),
  records: (table: number, blocks: number[], start: number, count: number) =>
    opened().records(table, blocks, start, count),
  find: (text: string) => opened().find(text),
  history: (name: string) => opened().history(name),
};

export type Answers = typeof answers;

export interface Question {
  id: number;
  method: keyof Answers;
  args: unknown[];
}

export type Answer = { id: number; value: unknown } | { id: number; error: string };

let inspection: Inspection | undefined;

function opened(): Inspection {
  if (inspection === undefined) throw new Error('no tables are open');
  return inspection;
}

self.onmessage = ({ data }: MessageEvent<Question>) => {
  const { id, method, args } = data;
  const answer = answers[method] as (...args: unknown[]) => unknown;
  try {
    self.postMessage({ id, value: answer(...args) } satisfies Answer);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    self.postMessage({ id, error: message } satisfies Answer);
  }
};
