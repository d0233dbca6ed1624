// `reftable for-each-ref`: lists refs in a format of the caller's.

import { RefError } from '../../errors.ts';
import type { DirectRef, RefReader } from '../../refs/ref-store.ts';
import { parseArguments, parseInteger } from '../arguments.ts';
import { die, UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { compileFormat, type ListedRef } from '../ref-format.ts';
import { shortenRefName } from '../ref-names.ts';
import { openRepository } from '../repository.ts';
import { commonPrefix, nameMatcher } from '../wildmatch.ts';

export const help = `usage: reftable for-each-ref [--count=<count>] [--sort=<key>] [--format=<format>]
                             [--include-root-refs] [<pattern>...]

    --count <n>           only the first <n> refs
    --format <format>     how to show a ref; default '%(objectname)%09%(refname)'
    --sort <key>          refname (the default) or -refname, last first
    --include-root-refs   HEAD and the other refs outside refs/ too

Fields: %(refname), %(symref), each also with :short, :lstrip=<n>, :rstrip=<n>; %(objectname),
%(*objectname) for what an annotated tag points at. %% is a percent sign, %0a a byte in hex.
A pattern is a glob in which * stops at a slash, or a name or folder (refs/heads).

Git's default format also has %(objecttype), which only the objects tell.
`;

const DEFAULT_FORMAT = '%(objectname)\t%(refname)';

export function run(args: readonly string[]): number {
  const { options, operands } = parseArguments(args, {
    count: { takes: 'text' },
    format: { takes: 'text' },
    sort: { takes: 'text' },
    'include-root-refs': {},
  });
  const count = options.count === undefined ? 0 : parseInteger('count', options.count);
  if (count < 0) throw new UsageError(`invalid --count argument: \`${count}'`);
  const descending = isDescending(options.sort ?? 'refname');

  const refs = openRepository().snapshot();
  const shorten = (name: string) => shortenRefName(refs, name, { strict: true });
  const format = compileFormat(options.format ?? DEFAULT_FORMAT, shorten);
  const listed = listRefs(refs, operands, options['include-root-refs'] === true);
  let left = count || Number.POSITIVE_INFINITY;
  for (const ref of descending ? [...listed].reverse() : listed) {
    stdout.write(`${format(ref)}\n`);
    if (--left === 0) break;
  }
  return 0;
}

function isDescending(key: string): boolean {
  if (key === 'refname') return false;
  if (key === '-refname') return true;
  return die(`sorting by '${key}' is not supported: expected refname or -refname`);
}

/** The refs that match one of the patterns, all if there are none, in byte order of their names. */
function* listRefs(
  refs: RefReader,
  patterns: readonly string[],
  includeRoot: boolean,
): IterableIterator<ListedRef> {
  const isWanted = patterns.length === 0 ? undefined : nameMatcher(patterns);
  // Names outside refs/ are looked for only if they are asked for: a pattern `*` does not find them.
  const prefix = includeRoot ? commonPrefix(patterns) : longer('refs/', commonPrefix(patterns));
  if (prefix === undefined) return;
  for (const ref of refs.refs({ prefix, includeRoot })) {
    const { name, target } = ref;
    if (isWanted !== undefined && !isWanted(name)) continue;
    if (target === undefined) {
      yield { name, oid: ref.oid, peeled: ref.peeled, symref: undefined };
      continue;
    }
    const resolved = resolveOrNothing(refs, target);
    if (resolved === undefined) continue;
    yield { name, oid: resolved.oid, peeled: resolved.peeled, symref: resolved.name };
  }
}

/** What dangles, or goes round in a circle, is no ref to this command. */
function resolveOrNothing(refs: RefReader, name: string): DirectRef | undefined {
  try {
    return refs.resolve(name);
  } catch (error) {
    if (error instanceof RefError && error.code === 'SYMREF_DEPTH') return undefined;
    throw error;
  }
}

/** The longer of two prefixes; `undefined` if no name begins with both. */
function longer(a: string, b: string): string | undefined {
  if (a.startsWith(b)) return a;
  return b.startsWith(a) ? b : undefined;
}
