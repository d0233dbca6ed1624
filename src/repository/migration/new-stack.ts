// Writes the refs and reflogs of a snapshot as a stack of one table, each log entry with an update index of its own,
// for the order of entries is all that tells them apart.

import { compareText } from '../../format/text.ts';
import type { ObjectSource } from '../../objects/object-source.ts';
import { peelTag } from '../../objects/tag-target.ts';
import { timezoneToHhmm } from '../../reflog/date.ts';
import { normalizeReflogMessage } from '../../reflog/message.ts';
import type { ReflogEntry, RefSnapshot } from '../../refs/ref-store.ts';
import type { Stack } from '../../stack/stack.ts';
import { TableWriter } from '../../table/table-writer.ts';
import { DEFAULT_BLOCK_SIZE, type TableWriterOptions } from '../../table/table-writer-options.ts';

/** So many refs are looked up at a time. */
const BATCH = 1 << 14;

export interface StackWriting {
  stack: Stack;
  tableOptions: Omit<TableWriterOptions, 'minUpdateIndex' | 'maxUpdateIndex'>;
  objects: ObjectSource | undefined;
  reflogs: boolean;
  /** Told now and then how many refs and log entries were written. */
  onProgress(refs: number, entries: number): void;
}

/** Throws `RECORD_TOO_LARGE`, `IO`, and what reading throws. */
export async function writeStack(source: RefSnapshot, writing: StackWriting): Promise<void> {
  const { stack, tableOptions, onProgress } = writing;
  const logs = writing.reflogs ? readLogs(source) : [];
  const entryCount = logs.reduce((sum, { entries }) => sum + entries.length, 0);
  const addition = await stack.beginAddition();
  try {
    const first = addition.updateIndex;
    const writer = new TableWriter({
      ...tableOptions,
      minUpdateIndex: first,
      maxUpdateIndex: first + Math.max(entryCount - 1, 0),
    });
    let refs = 0;
    for await (const batch of peeled(source, writing.objects)) {
      for (const ref of batch) writer.addRef({ ...ref, updateIndex: first });
      refs += batch.length;
      onProgress(refs, 0);
    }
    const blockSize = tableOptions.blockSize ?? DEFAULT_BLOCK_SIZE;
    let next = first;
    for (const { name, entries } of logs) {
      next += entries.length;
      // The newest first.
      for (let i = entries.length - 1; i >= 0; i--) {
        const updateIndex = next - entries.length + i;
        writer.addLog({ name, updateIndex, entry: recordOf(entries[i]!, blockSize) });
      }
      onProgress(refs, next - first);
    }
    await addition.commit(writer.finish());
  } catch (error) {
    await addition.abort().catch(() => {});
    throw error;
  }
}

/** In byte order of the names; a log without entries is left out, as by Git. */
function readLogs(source: RefSnapshot): { name: string; entries: ReflogEntry[] }[] {
  return [...source.reflogNames()]
    .sort(compareText)
    .map((name) => ({ name, entries: [...source.reflog(name, { order: 'oldest-first' })] }));
}

function recordOf(entry: ReflogEntry, blockSize: number) {
  const { oldOid, newOid, committer, message } = entry;
  return {
    ...{ oldOid, newOid, committerName: committer.name, email: committer.email },
    time: committer.time,
    timezone: timezoneToHhmm(committer.timezone),
    message: `${normalizeReflogMessage(message, blockSize)}\n`,
  };
}

interface PeeledRef {
  name: string;
  oid?: string | undefined;
  target?: string | undefined;
  peeled?: string | undefined;
}

/** The refs in byte order, with what tags stand for: files do not tell of all. */
async function* peeled(
  source: RefSnapshot,
  objects: ObjectSource | undefined,
): AsyncGenerator<PeeledRef[]> {
  /** Of each object id, what it stands for; many refs have the same. */
  const known = new Map<string, string | undefined>();
  let batch: PeeledRef[] = [];
  for (const ref of source.refs({ includeRoot: true })) {
    batch.push(ref);
    if (batch.length < BATCH) continue;
    yield await withPeeled(batch, known, objects);
    batch = [];
  }
  yield await withPeeled(batch, known, objects);
}

async function withPeeled(
  batch: PeeledRef[],
  known: Map<string, string | undefined>,
  objects: ObjectSource | undefined,
): Promise<PeeledRef[]> {
  if (objects === undefined) return batch;
  const asked = new Set<string>();
  for (const { oid, peeled } of batch) {
    if (oid !== undefined && peeled === undefined && !known.has(oid)) asked.add(oid);
  }
  const findings = await objects.lookup([...asked]);
  for (const oid of asked) {
    const finding = findings.get(oid);
    const isTag = typeof finding === 'object' && finding.type === 'tag';
    known.set(oid, isTag ? await peelTag(objects, oid) : undefined);
  }
  return batch.map((ref) =>
    ref.oid === undefined || ref.peeled !== undefined
      ? ref
      : { ...ref, peeled: known.get(ref.oid) },
  );
}
