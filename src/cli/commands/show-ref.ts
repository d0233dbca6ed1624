// `reftable show-ref`: lists refs and what they point at, or checks single ones.

import { isSafeRefName } from '../../refs/ref-name.ts';
import type { DirectRef, RefReader } from '../../refs/ref-store.ts';
import { parseArguments } from '../arguments.ts';
import { die, fail, UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { openRepository } from '../repository.ts';

export const help = `usage: reftable show-ref [--head] [-d | --dereference]
                         [-s | --hash[=<n>]] [--abbrev[=<n>]] [--branches] [--tags]
                         [--] [<pattern>...]
   or: reftable show-ref --verify [-q | --quiet] [-d | --dereference]
                         [-s | --hash[=<n>]] [--abbrev[=<n>]]
                         [--] [<ref>...]
   or: reftable show-ref --exists <ref>

    --tags                only refs below refs/tags/ (and branches, with --branches)
    --branches            only refs below refs/heads/ (and tags, with --tags)
    --exists              tell by the exit code whether the ref is there, be it dangling
    --verify              the refs are named in full
    --head                HEAD too, even if no pattern matches it
    -d, --dereference     what annotated tags point at too, as <name>^{}
    -s, --hash[=<n>]      only the object id, or its first <n> digits
    --abbrev[=<n>]        the first <n> digits of object ids, 7 if it is not told
    -q, --quiet           print nothing

A pattern is the end of a name, from a slash on. Whether the objects exist is not looked at.
`;

/** The shortest that Git abbreviates an object id to, digits. */
const MINIMUM_ABBREVIATION = 4;
const DEFAULT_ABBREVIATION = 7;

interface Presentation {
  hashOnly: boolean;
  /** How many digits of an object id to show; `undefined` for all. */
  digits: number | undefined;
  dereference: boolean;
  quiet: boolean;
}

export function run(args: readonly string[]): number {
  const { options, operands } = parseArguments(args, {
    tags: {},
    branches: {},
    heads: {},
    exists: {},
    verify: {},
    head: { short: 'h' },
    dereference: { short: 'd' },
    hash: { short: 's', takes: 'optional text' },
    abbrev: { takes: 'optional text' },
    quiet: { short: 'q' },
  });
  const { hash, abbrev } = options;
  const presentation: Presentation = {
    hashOnly: hash !== undefined,
    digits: abbreviation('hash', hash) ?? abbreviation('abbrev', abbrev, DEFAULT_ABBREVIATION),
    dereference: options.dereference === true,
    quiet: options.quiet === true,
  };
  if (options.verify && options.exists) {
    die("options '--verify' and '--exists' cannot be used together");
  }
  const refs = openRepository().snapshot();
  if (options.verify) return verify(refs, operands, presentation);
  if (options.exists) return exists(refs, operands);

  const prefixes: string[] = [];
  if (options.branches || options.heads) prefixes.push('refs/heads/');
  if (options.tags) prefixes.push('refs/tags/');
  if (prefixes.length === 0) prefixes.push('refs/');
  return list(refs, prefixes, operands, options.head === true, presentation);
}

function abbreviation(
  name: string,
  value: string | true | undefined,
  fallback?: number,
): number | undefined {
  if (value === undefined || value === true) return value && fallback;
  if (!/^[ \t]*[+-]?\d+$/.test(value)) {
    throw new UsageError(`option \`${name}' expects a numerical value`, { showsHelp: false });
  }
  return Number(value) === 0 ? undefined : Math.max(Number(value), MINIMUM_ABBREVIATION);
}

function list(
  refs: RefReader,
  prefixes: readonly string[],
  patterns: readonly string[],
  withHead: boolean,
  presentation: Presentation,
): number {
  let found = false;
  const showOne = (name: string, ref: DirectRef) => {
    found = true;
    show(name, ref, presentation);
  };
  const head = withHead ? refs.resolve('HEAD') : undefined;
  if (head !== undefined) showOne('HEAD', head);
  const isWanted = endMatcher(patterns);
  for (const prefix of prefixes) {
    for (const ref of refs.refs({ prefix })) {
      if (isWanted !== undefined && !isWanted(ref.name)) continue;
      // What dangles is no ref to this command.
      const resolved = ref.target === undefined ? ref : refs.resolve(ref.target);
      if (resolved !== undefined) showOne(ref.name, resolved);
    }
  }
  return found ? 0 : 1;
}

/** Whether a name ends with one of the patterns, as whole components; `undefined` without patterns. */
function endMatcher(patterns: readonly string[]): ((name: string) => boolean) | undefined {
  if (patterns.length === 0) return undefined;
  return (name) =>
    patterns.some((pattern) => {
      if (!name.endsWith(pattern)) return false;
      const start = name.length - pattern.length;
      return start === 0 || name[start - 1] === '/';
    });
}

function verify(refs: RefReader, names: readonly string[], presentation: Presentation): number {
  if (names.length === 0) die('--verify requires a reference');
  for (const name of names) {
    const isAllowed = name.startsWith('refs/') || isSafeRefName(name);
    const ref = isAllowed ? refs.resolve(name) : undefined;
    if (ref !== undefined) show(name, ref, presentation);
    else if (presentation.quiet) return 1;
    else die(`'${name}' - not a valid ref`);
  }
  return 0;
}

function exists(refs: RefReader, names: readonly string[]): number {
  const [name] = names;
  if (name === undefined) die('--exists requires a reference');
  if (names.length > 1) die('--exists requires exactly one reference');
  return refs.read(name) === undefined ? fail('reference does not exist', 2) : 0;
}

function show(name: string, { oid, peeled }: DirectRef, presentation: Presentation): void {
  const { digits, quiet, hashOnly, dereference } = presentation;
  if (quiet) return;
  const shown = digits === undefined ? oid : oid.slice(0, digits);
  stdout.write(hashOnly ? `${shown}\n` : `${shown} ${name}\n`);
  if (dereference && peeled !== undefined) {
    stdout.write(`${digits === undefined ? peeled : peeled.slice(0, digits)} ${name}^{}\n`);
  }
}
