// Object ids of which only the first digits are given. Where several objects have them, those count that can be meant
// where the digits stand; else the candidates are told.

import type { ObjectType } from '../../objects/object-source.ts';
import { dateFormat, zonedTime } from '../../reflog/date-format.ts';
import { fromByteText } from '../byte-text.ts';
import { hint, writeError } from '../output.ts';
import { messageParts, oneLine } from '../ref-format/message.ts';
import { OidAbbreviation } from '../ref-format/oid-abbreviation.ts';
import { personField } from '../ref-format/person-fields.ts';
import { findRepository, openObjects } from '../repository.ts';
import { Peeling } from './peeling.ts';

/** Fewer digits name nothing. */
const MINIMUM = 4;

/** What may be meant: of `…ish`, tags of such objects, too. */
export type OidHint = 'blob' | 'commit' | 'committish' | 'tree' | 'treeish';

const HINTS: ReadonlySet<string> = new Set(['blob', 'commit', 'committish', 'tree', 'treeish']);

/** The order in which candidates are told. */
const ORDER: readonly (ObjectType | undefined)[] = ['tag', 'commit', 'tree', 'blob'];

/** The whole id, in lower case; `undefined` if no object begins so, or several do, which is told unless `quiet`. */
export function findAbbreviated(
  text: string,
  asked: OidHint | undefined,
  { quiet = false } = {},
): string | undefined {
  if (text.length < MINIMUM || !/^[0-9a-f]+$/i.test(text)) return undefined;
  const prefix = text.toLowerCase();
  const ids = openObjects().idsWithPrefix(prefix);
  if (ids.length < 2) return ids[0];
  const wanted = asked ?? configuredHint();
  const fitting = wanted === undefined ? ids : ids.filter((id) => fits(id, wanted));
  if (fitting.length === 1) return fitting[0];
  if (!quiet) tellCandidates(prefix, fitting.length === 0 ? ids : fitting);
  return undefined;
}

function configuredHint(): OidHint | undefined {
  const text = findRepository().config.get('core.disambiguate')?.toLowerCase();
  return text !== undefined && HINTS.has(text) ? (text as OidHint) : undefined;
}

function fits(oid: string, wanted: OidHint): boolean {
  const objects = openObjects();
  const type = typeOf(oid);
  if (type === wanted) return true;
  if (wanted !== 'committish' && wanted !== 'treeish') return false;
  const end = type === 'tag' ? new Peeling(objects).peel(oid)?.type : type;
  return end === 'commit' || (end === 'tree' && wanted === 'treeish');
}

function typeOf(oid: string): ObjectType | undefined {
  const finding = openObjects().find(oid);
  return typeof finding === 'object' ? finding.type : undefined;
}

/** Where Git looks a second time, it tells nothing. */
const told = new Set<string>();

function tellCandidates(prefix: string, ids: readonly string[]): void {
  if (told.has(prefix)) return;
  told.add(prefix);
  writeError(`error: short object ID ${prefix} is ambiguous\n`);
  const abbreviation = new OidAbbreviation(openObjects(), findRepository().config);
  const candidates = ids.map((oid) => ({ oid, type: typeOf(oid) }));
  candidates.sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
  const lines = candidates.map(
    ({ oid, type }) => `  ${abbreviation.of(oid, undefined)} ${description(oid, type)}`,
  );
  hint(['The candidates are:', ...lines].join('\n'));
}

function description(oid: string, type: ObjectType | undefined): string {
  if (type === undefined) return '[bad object]';
  if (type !== 'commit' && type !== 'tag') return type;
  const bytes = openObjects().read(oid)!.content;
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const facts = { oid, type, size: bytes.length, content };
  if (type === 'commit') {
    const date = personField('authordate', 'short')!.text(facts);
    return `commit ${date} - ${fromByteText(oneLine(messageParts(content).subject))}`;
  }
  const name = /^object .*\ntype .*\ntag (.*)\n/.exec(content)?.[1];
  if (name === undefined) return '[bad tag, could not parse it]';
  const time = personField('taggerdate', undefined)!.number!(facts);
  return `tag ${dateFormat('short')(zonedTime({ time, timezone: 0 }))} - ${fromByteText(name)}`;
}
