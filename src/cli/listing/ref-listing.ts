// Listing refs in a format, in an order: what `for-each-ref` and `refs list` do.

import { oidSize } from '../../format/object-format.ts';
import type { ObjectSource } from '../../objects/object-source.ts';
import type { LinePart } from '../../refs/line-template.ts';
import type { RefReader, RefStore } from '../../refs/ref-store.ts';
import { RefIterator } from '../../table/ref-iterator.ts';
import { die } from '../failure.ts';
import { stdout } from '../output.ts';
import type { Field } from '../ref-format/fields.ts';
import { type Format, fieldsOf, lineFormatter, objectNeeds } from '../ref-format/format.ts';
import type { ListedRef } from '../ref-format/listed-ref.ts';
import { ObjectReader, objectTrouble } from '../ref-format/object-facts.ts';
import { nameOrder, type Sorting, sortRefs, sortValues } from '../ref-format/sorting.ts';
import { PlainLines } from './plain-lines.ts';
import { filteredRefs, nameFilter, type RefFilter, rangesOf } from './ref-filter.ts';

export interface RefListing {
  readonly objects: ObjectSource | undefined;
  readonly filter: RefFilter;
  readonly sorting: Sorting;
  readonly format: Format;
  /** How many refs to list at most; 0 for all. */
  readonly count: number;
  /** Whether a ref whose line is empty gets none. */
  readonly omitEmpty: boolean;
  /** What else a ref has to be, beside its name; asked for some refs at a time. */
  readonly select?: ((refs: ListedRef[]) => Promise<ListedRef[]>) | undefined;
}

/** So many refs are looked at together: the objects of all of them are looked up at a time. */
const CHUNK = 512;

/** So much text is gathered before it is written, characters. */
const PIECE_SIZE = 64 * 1024;

/** Lists the refs on standard output. Dies, in Git's words, where that cannot be done. */
export async function listRefs(store: RefStore, listing: RefListing): Promise<void> {
  const refs = store.snapshot();
  if (await listPlainly(store, refs, listing)) return;
  const { filter, sorting, format, select } = listing;
  const objects = new ObjectReader(listing.objects);
  const chunks = chunked(filteredRefs(refs, filter));
  const selected = select === undefined ? chunks : mapChunks(chunks, select);
  const limit = listing.count || Number.POSITIVE_INFINITY;
  const ordered =
    nameOrder(sorting) === 'ascending'
      ? selected
      : chunked(await sorted(selected, sorting, objects, limit));

  const fields = fieldsOf(format);
  const lineOf = lineFormatter(format);
  let left = limit;
  let piece = '';
  const flush = () => {
    stdout.writeBytes(Buffer.from(piece, 'latin1'));
    piece = '';
  };
  for await (const chunk of ordered) {
    const shown = chunk.slice(0, left);
    await prepare(shown, fields, objects);
    for (const ref of shown) {
      if (ref.trouble !== undefined) {
        flush();
        die(ref.trouble);
      }
      const line = lineOf(ref);
      forgetObjects(ref);
      if (line !== '' || !listing.omitEmpty) piece += `${line}\n`;
      if (piece.length >= PIECE_SIZE) flush();
    }
    left -= shown.length;
    if (left === 0) break;
  }
  flush();
}

/** Lists the refs the fast way, if it is good for what is asked; `false` if it is not. */
async function listPlainly(
  store: RefStore,
  refs: RefReader,
  { objects, filter, sorting, format, count, select }: RefListing,
): Promise<boolean> {
  const line = plainLine(format);
  if (line === undefined || select !== undefined || nameOrder(sorting) !== 'ascending')
    return false;
  const { includeRoot } = filter;
  const iterators: RefIterator[] = [];
  for (const { prefix, after } of rangesOf(filter)) {
    const iterator = refs.refs({ prefix, after, includeRoot });
    // Refs that are put together from several stacks do not come from one table's records.
    if (!(iterator instanceof RefIterator)) return false;
    iterators.push(iterator);
  }
  const showsType = line.includes('type');
  const lines = new PlainLines(refs, oidSize(store.objectFormat), {
    line,
    objects: showsType ? objects : undefined,
    isWanted: nameFilter(filter),
    limit: count || undefined,
    refuse: (name, oid, finding) => die(objectTrouble(name, oid, finding)),
  });
  for (const iterator of iterators) await lines.write(iterator);
  return true;
}

const PLAIN_FIELDS: Readonly<Record<string, LinePart>> = {
  refname: 'name',
  objectname: 'oid',
  objecttype: 'type',
};

/** The parts of a ref's line; `undefined` where a format is more than names, object ids and types. */
function plainLine({ parts, quoteStyle }: Format): LinePart[] | undefined {
  if (quoteStyle !== undefined) return undefined;
  const line: LinePart[] = [];
  for (const part of parts) {
    const plain = typeof part === 'string' ? Buffer.from(part, 'latin1') : PLAIN_FIELDS[part.spec];
    if (plain === undefined) return undefined;
    line.push(plain);
  }
  // An empty line may have to be left out.
  return line.length === 0 ? undefined : [...line, Buffer.from('\n')];
}

/** The refs in the order that is asked for, as many as are wanted. */
async function sorted(
  chunks: AsyncIterable<ListedRef[]> | Iterable<ListedRef[]>,
  sorting: Sorting,
  objects: ObjectReader,
  limit: number,
): Promise<ListedRef[]> {
  const fields = sorting.keys.map(({ field }) => field);
  const refs: ListedRef[] = [];
  const values = sorting.keys.map((): ReturnType<typeof sortValues> => []);
  const order = nameOrder(sorting);
  for await (const chunk of chunks) {
    await prepare(chunk, fields, objects);
    for (const ref of chunk) {
      if (ref.trouble !== undefined) die(ref.trouble);
      refs.push(ref);
      if (order === undefined) {
        for (const [k, value] of sortValues(sorting, ref).entries()) values[k]!.push(value);
      }
      forgetObjects(ref);
    }
  }
  if (order === 'descending') return refs.reverse().slice(0, limit);
  return sortRefs(refs, values, sorting).slice(0, limit);
}

/** Finds out what the fields need to know of the refs. */
async function prepare(
  refs: readonly ListedRef[],
  fields: readonly Field[],
  objects: ObjectReader,
): Promise<void> {
  await objects.load(refs, objectNeeds(fields));
  for (const { prepare: prepareOne } of fields) {
    if (prepareOne !== undefined) for (const ref of refs) await prepareOne(ref);
  }
}

/** A million refs are not to keep their objects in memory. */
function forgetObjects(ref: ListedRef): void {
  ref.object = undefined;
  ref.peeledObject = undefined;
}

function* chunked(refs: Iterable<ListedRef>): IterableIterator<ListedRef[]> {
  let chunk: ListedRef[] = [];
  for (const ref of refs) {
    if (chunk.push(ref) < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

async function* mapChunks(
  chunks: Iterable<ListedRef[]>,
  map: (refs: ListedRef[]) => Promise<ListedRef[]>,
): AsyncIterableIterator<ListedRef[]> {
  for (const chunk of chunks) yield await map(chunk);
}
