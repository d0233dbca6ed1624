// Revisions (gitrevisions(7)): what names an object. Names and logs of refs, object ids and their first digits, and
// what these lead to, by `~2`, `^2`, `^{commit}`.

import { isOid } from '../../format/object-format.ts';
import { checkRefName } from '../../refs/ref-name.ts';
import type { RefStore } from '../../refs/ref-store.ts';
import { die } from '../failure.ts';
import { warn, writeError } from '../output.ts';
import { findRefs } from '../ref-names.ts';
import { openObjects } from '../repository.ts';
import { findAbbreviated, type OidHint } from './abbreviated-oid.ts';
import { expandName } from './branch-shorthand.ts';
import { logSelector, resolvePast } from './past-refs.ts';
import { Peeling } from './peeling.ts';

/** Git counts generations and parents in 32 bits. */
const MOST_STEPS = 2 ** 31 - 1;

/** As `resolveOid`, for what may be no whole object id. */
export function resolveRevision(store: RefStore, text: string): string | undefined {
  const found = resolve(store, text, undefined);
  if (found !== undefined) return found;
  const colon = text.replace(/\{[^}]*\}/g, (braces) => '-'.repeat(braces.length)).indexOf(':');
  if (colon === 0 || (colon > 0 && resolve(store, text.slice(0, colon), 'treeish') !== undefined)) {
    refuseSearch(text);
  }
  return undefined;
}

function resolve(store: RefStore, text: string, asked: OidHint | undefined): string | undefined {
  const [, start, step, digits = ''] = /^(.*)([~^])(\d*)$/s.exec(text) ?? [];
  if (start !== undefined) {
    const count = digits === '' ? 1 : Number(digits);
    if (count > MOST_STEPS) return undefined;
    const from = resolve(store, start, 'committish');
    const commit = from && new Peeling(openObjects()).commit(from);
    return commit && (step === '~' ? ancestor(commit, count) : parent(commit, count));
  }
  return (
    resolvePeeled(store, text) ??
    resolveName(store, text) ??
    resolveDescribed(text) ??
    findAbbreviated(text, asked)
  );
}

function ancestor(commit: string, generations: number): string | undefined {
  const peeling = new Peeling(openObjects());
  let at: string | undefined = commit;
  for (let left = generations; at !== undefined && left > 0; left--) at = peeling.parents(at)?.[0];
  return at;
}

/** The first parent is number 1; number 0 is the commit itself. */
function parent(commit: string, number: number): string | undefined {
  return number === 0 ? commit : new Peeling(openObjects()).parents(commit)?.[number - 1];
}

/** `v1^{commit}`; `undefined` for what does not end so. */
function resolvePeeled(store: RefStore, text: string): string | undefined {
  const [, start, wanted] = /^(.+)\^\{((?:blob|commit|object|tag|tree)?|\/.*)\}$/s.exec(text) ?? [];
  if (start === undefined || wanted === undefined) return undefined;
  const isSearch = wanted.startsWith('/');
  const asked = wanted === 'commit' || isSearch ? 'committish' : undefined;
  const from = resolve(store, start, wanted === 'tree' ? 'treeish' : asked);
  if (from === undefined) return undefined;
  const peeling = new Peeling(openObjects());
  if (wanted === '') {
    const tell = () => writeError(`error: missing object referenced by '${start}'\n`);
    return peeling.peel(from, tell)?.oid;
  }
  if (wanted === 'object') return peeling.typeOf(from) && from;
  if (!isSearch) return peeling.peelTo(from, wanted as 'blob' | 'commit' | 'tag' | 'tree', text);
  const commit = peeling.peelTo(from, 'commit', text);
  return commit === undefined || wanted === '/' ? commit : refuseSearch(text);
}

/** An object id, a ref, or what a ref was. */
function resolveName(store: RefStore, text: string): string | undefined {
  if (isOid(text, store.objectFormat)) return text.toLowerCase();
  const selector = logSelector(text);
  if (selector === 'misplaced') return undefined;
  if (selector !== undefined) return resolvePast(store, selector);
  const name = expandName(store, text);
  if (name === undefined) return undefined;
  if (isOid(name, store.objectFormat)) return name.toLowerCase();
  const [found, ...others] = findRefs(store, name);
  if (found === undefined) return undefined;
  if (others.length === 0 && findAbbreviated(text, undefined, { quiet: true }) !== undefined) {
    warn(`refname '${text}' is ambiguous.`);
  }
  return found.resolved.oid;
}

/** What `git describe` says: `v1-2-gabc1234`. */
function resolveDescribed(text: string): string | undefined {
  const [, name, digits] = /^(.+)-[0-9a-f]+-g([0-9a-f]+)$/is.exec(text) ?? [];
  if (name === undefined || digits === undefined) return undefined;
  const isName = checkRefName(name, { allowOneLevel: true }) === undefined;
  return isName ? findAbbreviated(digits, 'commit', { quiet: true }) : undefined;
}

function refuseSearch(text: string): never {
  die(`'${text}': objects are found neither by their paths nor by their messages here`);
}
