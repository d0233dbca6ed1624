// Between ref names as people write them (`main`, `origin`, `HEAD`) and full ones.

import { checkRefName } from '../refs/ref-name.ts';
import type { DirectRef, RefReader } from '../refs/ref-store.ts';
import { resolveIfPossible } from '../refs/resolve.ts';
import { warn } from './output.ts';

/** What may stand around a short name, in the order in which Git tries it (gitrevisions(7)). */
const RULES: readonly { prefix: string; suffix: string }[] = [
  { prefix: '', suffix: '' },
  { prefix: 'refs/', suffix: '' },
  { prefix: 'refs/tags/', suffix: '' },
  { prefix: 'refs/heads/', suffix: '' },
  { prefix: 'refs/remotes/', suffix: '' },
  { prefix: 'refs/remotes/', suffix: '/HEAD' },
];

const ALLOW_ONE_LEVEL = { allowOneLevel: true };

/** The full names that a name may stand for, the first that exists is meant. `@` is `HEAD`. */
function fullNames(name: string): string[] {
  const given = name === '@' ? 'HEAD' : name;
  return RULES.map(({ prefix, suffix }) => prefix + given + suffix).filter(
    (full) => checkRefName(full, ALLOW_ONE_LEVEL) === undefined,
  );
}

/** A ref that exists. */
export interface FoundRef {
  name: string;
  /** What its symrefs lead to; itself if it is none. */
  resolved: DirectRef;
}

/**
 * The refs that exist of those that a name may stand for; the first is meant. Warns, as Git does, where
 * there are several, and of symrefs that lead nowhere.
 */
export function findRefs(refs: RefReader, given: string): FoundRef[] {
  const found: FoundRef[] = [];
  for (const name of fullNames(given)) {
    const resolved = resolveIfPossible(refs, name);
    if (resolved !== undefined) found.push({ name, resolved });
    else if (name !== 'HEAD' && refs.read(name) !== undefined) {
      warn(`ignoring dangling symref ${name}`);
    }
  }
  if (found.length > 1) warn(`refname '${given}' is ambiguous.`);
  return found;
}

/**
 * The reflogs that exist of those that a name may stand for; the first is meant. Each is the log of the ref itself,
 * or of the one that it leads to.
 */
export function findLogs(refs: RefReader, given: string): FoundRef[] {
  const found: FoundRef[] = [];
  for (const name of fullNames(given)) {
    const resolved = resolveIfPossible(refs, name);
    if (resolved === undefined) continue;
    const log = [name, resolved.name].find((each) => refs.hasReflog(each));
    if (log !== undefined) found.push({ name: log, resolved });
  }
  return found;
}

/**
 * The shortest name that stands for the ref. `strict` asks that no other ref can be meant by it, else it
 * is enough that the ref comes first.
 */
export function shortenRefName(
  refs: Pick<RefReader, 'resolve'>,
  name: string,
  { strict = false } = {},
): string {
  for (let i = RULES.length - 1; i > 0; i--) {
    const { prefix, suffix } = RULES[i]!;
    const length = name.length - prefix.length - suffix.length;
    if (length <= 0 || !name.startsWith(prefix) || !name.endsWith(suffix)) continue;
    const short = name.slice(prefix.length, prefix.length + length);
    const others = strict ? RULES.filter((rule) => rule !== RULES[i]) : RULES.slice(0, i);
    const isTaken = others.some((rule) =>
      resolveIfPossible(refs, rule.prefix + short + rule.suffix),
    );
    if (!isTaken) return short;
  }
  return name;
}
