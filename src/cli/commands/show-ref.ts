// `reftable show-ref`: lists refs and what they point at, or checks single ones.

import { compareRanges } from '../../format/bytes.ts';
import { checkRefName, isSafeRefName } from '../../refs/ref-name.ts';
import type { RefReader } from '../../refs/ref-store.ts';
import { parseArguments } from '../arguments.ts';
import { toByteText } from '../byte-text.ts';
import { die, fail, UsageError } from '../failure.ts';
import { listedRef } from '../listing/ref-filter.ts';
import type { NameTest } from '../listing/wildmatch.ts';
import { stdout, warn } from '../output.ts';
import type { ListedRef } from '../ref-format/listed-ref.ts';
import { OidAbbreviation } from '../ref-format/oid-abbreviation.ts';
import { findRepository, openObjects, openRepository } from '../repository.ts';
import { type Presentation, RefPresenter } from '../show-ref/ref-presenter.ts';
import { RecordReader } from '../stdin.ts';

export const help = `usage: reftable show-ref [--head] [-d | --dereference]
                         [-s | --hash[=<n>]] [--abbrev[=<n>]] [--branches] [--tags]
                         [--] [<pattern>...]
   or: reftable show-ref --verify [-q | --quiet] [-d | --dereference]
                         [-s | --hash[=<n>]] [--abbrev[=<n>]]
                         [--] [<ref>...]
   or: reftable show-ref --exclude-existing[=<pattern>]
   or: reftable show-ref --exists <ref>

    --tags                only refs below refs/tags/ (and branches, with --branches)
    --branches            only refs below refs/heads/ (and tags, with --tags)
    --exists              tell by the exit code whether the ref is there, be it dangling
    --verify              the refs are named in full
    --head                HEAD too, even if no pattern matches it
    -d, --dereference     what annotated tags point at too, as <name>^{}
    -s, --hash[=<n>]      only the object id, or its first <n> digits
    --abbrev[=<n>]        the first <n> digits of object ids, or as many as are needed
    -q, --quiet           print nothing
    --exclude-existing[=<pattern>]
                          print the lines of standard input that end with a ref which is not there,
                          and whose name begins with <pattern>

A pattern is the end of a name, from a slash on.
`;

/** The shortest that Git abbreviates an object id to, digits. */
const MINIMUM_ABBREVIATION = 4;

const LINE_FEED = 0x0a;
const SLASH = 0x2f;

export async function run(args: readonly string[]): Promise<number> {
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
    'exclude-existing': { takes: 'optional text', cannotBeNegated: true },
  });
  const presentation: Presentation = {
    // As in Git, where --no-hash does the same.
    hashOnly: 'hash' in options,
    digits: digitsAskedFor(options),
    dereference: options.dereference === true,
    quiet: options.quiet === true,
  };
  const excludeExisting = options['exclude-existing'];
  refuseTogether({
    '--exclude-existing': excludeExisting !== undefined,
    '--verify': options.verify === true,
    '--exists': options.exists === true,
  });
  const store = openRepository();
  const refs = store.snapshot();
  if (excludeExisting !== undefined) {
    return showMissing(refs, excludeExisting === true ? '' : excludeExisting);
  }
  if (options.exists) return exists(refs, operands);
  const { config } = findRepository();
  const presenter = new RefPresenter(
    store,
    store.objects,
    presentation,
    new OidAbbreviation(openObjects(), config),
  );
  if (options.verify) return verify(refs, operands, presenter);

  const isWanted = endMatcher(operands.map(toByteText));
  const prefixes: string[] = [];
  if (options.branches || options.heads) prefixes.push('refs/heads/');
  if (options.tags) prefixes.push('refs/tags/');
  if (prefixes.length === 0) prefixes.push('refs/');
  const head = options.head === true ? resolveRef(refs, 'HEAD') : undefined;
  if (head !== undefined) await presenter.show([head]);
  for (const prefix of prefixes) await presenter.list(refs, prefix, isWanted);
  return presenter.shown > 0 ? 0 : 1;
}

/** Dies, in Git's words, where more than one of the options was given. */
function refuseTogether(options: Readonly<Record<string, boolean>>): void {
  const given = Object.keys(options)
    .filter((name) => options[name])
    .map((name) => `'${name}'`);
  if (given.length === 2) die(`options ${given.join(' and ')} cannot be used together`);
  if (given.length === 3) {
    die(`options ${given[0]}, ${given[1]}, and ${given[2]} cannot be used together`);
  }
}

/** How many digits of object ids are asked for: 0 for all, `auto` for as many as are needed. */
function digitsAskedFor(options: {
  hash?: string | true | undefined;
  abbrev?: string | true | undefined;
}): number | 'auto' {
  let digits: number | 'auto' = 0;
  // Whichever stands last says it.
  for (const name of Object.keys(options)) {
    if (name === 'hash' && typeof options.hash === 'string') {
      digits = abbreviation(name, options.hash);
    } else if (name === 'abbrev') {
      const { abbrev } = options;
      if (abbrev === undefined) digits = 0;
      else digits = abbrev === true ? 'auto' : abbreviation(name, abbrev);
    }
  }
  return digits;
}

function abbreviation(name: string, value: string): number {
  if (!/^[ \t\n\v\f\r]*[+-]?\d+$/.test(value)) {
    throw new UsageError(`option \`${name}' expects a numerical value`, { showsHelp: false });
  }
  return Number(value) === 0 ? 0 : Math.max(Number(value), MINIMUM_ABBREVIATION);
}

/** Whether a name ends with one of the patterns, as whole components; `undefined` without patterns. */
function endMatcher(patterns: readonly string[]): NameTest | undefined {
  if (patterns.length === 0) return undefined;
  const ends = patterns.map((pattern) => Buffer.from(pattern, 'latin1'));
  return (bytes, start, end) =>
    ends.some((pattern) => {
      const from = end - pattern.length;
      if (from < start || (from > start && bytes[from - 1] !== SLASH)) return false;
      return compareRanges(bytes, from, end, pattern, 0, pattern.length) === 0;
    });
}

async function verify(
  refs: RefReader,
  names: readonly string[],
  presenter: RefPresenter,
): Promise<number> {
  if (names.length === 0) die('--verify requires a reference');
  for (const name of names) {
    const isAllowed = name.startsWith('refs/') || isSafeRefName(name);
    const ref = isAllowed ? resolveRef(refs, name) : undefined;
    if (ref !== undefined) await presenter.show([{ ...ref, name: toByteText(name) }]);
    else if (presenter.quiet) return 1;
    else die(`'${name}' - not a valid ref`);
  }
  return 0;
}

/** The ref as it is shown under its own name; `undefined` if it leads nowhere. */
function resolveRef(refs: RefReader, name: string): ListedRef | undefined {
  const ref = refs.read(name);
  return ref === undefined ? undefined : listedRef(refs, ref);
}

function exists(refs: RefReader, names: readonly string[]): number {
  const [name] = names;
  if (name === undefined) die('--exists requires a reference');
  if (names.length > 1) die('--exists requires exactly one reference');
  return refs.read(name) === undefined ? fail('reference does not exist', 2) : 0;
}

/**
 * Prints the lines of standard input that end with the name of a ref which is not there, less a `^{}`, and
 * whose name begins with `prefix`.
 */
function showMissing(refs: RefReader, prefix: string): number {
  const reader = new RecordReader(LINE_FEED);
  for (let line = reader.next(); line !== undefined; line = reader.next()) {
    const text = line.replace(/\n$/, '').replace(/\^\{\}$/, '');
    const name = /[^ \t\n\r]*$/.exec(text)![0];
    if (!name.startsWith(prefix)) continue;
    if (checkRefName(name) !== undefined) warn(`ref '${name}' ignored`);
    else if (!name.startsWith('refs/') || resolveRef(refs, name) === undefined) {
      stdout.write(`${text}\n`);
    }
  }
  return 0;
}
