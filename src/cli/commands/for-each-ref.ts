// `reftable for-each-ref`: lists refs in a format of the caller's.

import type { Config } from '../../repository/config.ts';
import { parseArguments, parseInteger } from '../arguments.ts';
import { toByteText } from '../byte-text.ts';
import { die, UsageError } from '../failure.ts';
import { History } from '../history.ts';
import { listRefs } from '../listing/ref-listing.ts';
import { refSelection } from '../listing/ref-selection.ts';
import { warn } from '../output.ts';
import { parseFormat } from '../ref-format/format.ts';
import { OidAbbreviation } from '../ref-format/oid-abbreviation.ts';
import type { QuoteStyle } from '../ref-format/quoting.ts';
import { repositoryContext } from '../ref-format/repository-context.ts';
import { parseSortKeys } from '../ref-format/sorting.ts';
import { findRepository, openObjects, openRepository } from '../repository.ts';
import { RecordReader } from '../stdin.ts';
import { stdoutIsTerminal } from '../terminal.ts';

export const help = `usage: reftable for-each-ref [--count=<count>] [--shell|--perl|--python|--tcl]
                             [(--sort=<key>)...] [--format=<format>] [--include-root-refs]
                             [--points-at=<object>] [--merged[=<object>]] [--no-merged[=<object>]]
                             [--contains[=<object>]] [--no-contains[=<object>]]
                             [(--exclude=<pattern>)...] [--start-after=<marker>]
                             [--stdin | (<pattern>...)]

    -s, --shell           quote values for a shell
    -p, --perl            quote values for Perl
    --python              quote values for Python
    --tcl                 quote values for Tcl
    --omit-empty          no line for a ref whose line is empty
    --count <n>           only the first <n> refs
    --format <format>     how to show a ref
    --start-after <name>  only refs behind this name
    --color[=<when>]      show the colors of the format: always, never or auto
    --exclude <pattern>   no refs that match the pattern
    --sort <key>          a field to sort by, last first with -; the last --sort counts first
    --points-at <object>  only refs that point at the object
    --merged <commit>     only refs that are reachable from the commit
    --no-merged <commit>  only refs that are not
    --contains <commit>   only refs from which the commit is reachable
    --no-contains <commit>
                          only refs from which it is not
    --ignore-case         match and sort whatever the case
    --stdin               read patterns from standard input
    --include-root-refs   HEAD and the other refs outside refs/ too

A format is text with fields such as %(refname:short); the default is
'%(objectname) %(objecttype)%09%(refname)'. %% is a percent sign, %0a a byte in hex.
A pattern is a glob in which * stops at a slash, or a name or folder (refs/heads).
`;

const DEFAULT_FORMAT = '%(objectname) %(objecttype)\t%(refname)';

const QUOTE_STYLES: readonly QuoteStyle[] = ['shell', 'perl', 'python', 'tcl'];

const LINE_FEED = 0x0a;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    shell: { short: 's' },
    perl: { short: 'p' },
    python: {},
    tcl: {},
    'omit-empty': {},
    count: { takes: 'text' },
    format: { takes: 'text' },
    'start-after': { takes: 'text' },
    color: { takes: 'optional text' },
    exclude: { takes: 'texts' },
    sort: { takes: 'texts' },
    'points-at': { takes: 'texts' },
    merged: { takes: 'texts', atEnd: 'HEAD', cannotBeNegated: true },
    'no-merged': { takes: 'texts', atEnd: 'HEAD', cannotBeNegated: true },
    contains: { takes: 'texts', atEnd: 'HEAD', cannotBeNegated: true },
    'no-contains': { takes: 'texts', atEnd: 'HEAD', cannotBeNegated: true },
    'ignore-case': {},
    stdin: {},
    'include-root-refs': {},
  });
  const count = options.count === undefined ? 0 : parseInteger('count', options.count);
  const usesColor = wantsColor('color' in options ? (options.color ?? 'never') : 'auto');
  const store = openRepository();
  const { config, dirs } = findRepository();
  const objects = store.objects;
  const history = new History(objects);
  const refs = store.snapshot();
  const select = await refSelection(store, objects, history, {
    pointsAt: options['points-at'],
    merged: options.merged,
    notMerged: options['no-merged'],
    contains: options.contains,
    notContains: options['no-contains'],
  });
  if (count < 0) throw new UsageError(`invalid --count argument: \`${count}'`);
  const [quoteStyle, another] = QUOTE_STYLES.filter((style) => options[style] === true);
  if (another !== undefined) throw new UsageError('more than one quoting style?');

  const abbreviation = new OidAbbreviation(openObjects(), config);
  const context = repositoryContext({
    ...{ store, refs, config, dirs, usesColor, history },
    abbreviate: (oid, digits) => abbreviation.of(oid, digits),
  });
  const format = parseFormat(toByteText(options.format ?? DEFAULT_FORMAT), quoteStyle, context);
  const startAfter = options['start-after'];
  const sort = options.sort ?? [];
  if (startAfter !== undefined && sort.length > 0) {
    die('cannot use --start-after with custom sort options');
  }
  const ignoreCase = options['ignore-case'] === true;
  const sorting = {
    keys: parseSortKeys(['refname', ...sort.map(toByteText)], context),
    ignoreCase,
    suffixes: versionSuffixes(config).map(toByteText),
  };
  if (options.stdin === true && operands.length > 0) {
    die('unknown arguments supplied with --stdin');
  }
  const patterns = options.stdin === true ? readLines() : operands;
  if (startAfter !== undefined && patterns.length > 0) {
    die('cannot use --start-after with patterns');
  }
  await listRefs(store, {
    objects,
    filter: {
      patterns: patterns.map(toByteText),
      exclude: (options.exclude ?? []).map(toByteText),
      ignoreCase,
      includeRoot: options['include-root-refs'] === true,
      startAfter: startAfter === undefined ? undefined : toByteText(startAfter),
    },
    sorting,
    format,
    count,
    omitEmpty: options['omit-empty'] === true,
    select,
  });
  return 0;
}

function wantsColor(when: string | true): boolean {
  switch (when === true ? 'always' : when.toLowerCase()) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'auto':
      return stdoutIsTerminal() && process.env.TERM !== 'dumb';
  }
  const message = 'option `color\' expects "always", "auto", or "never"';
  throw new UsageError(message, { showsHelp: false });
}

/** `versionsort.suffix`, or what it was called before. */
function versionSuffixes(config: Config): string[] {
  const suffixes = config.getAll('versionsort.suffix');
  const old = config.getAll('versionsort.prereleaseSuffix');
  if (suffixes.length === 0) return old;
  if (old.length > 0) {
    warn('ignoring versionsort.prereleasesuffix because versionsort.suffix is set');
  }
  return suffixes;
}

function readLines(): string[] {
  const lines: string[] = [];
  const reader = new RecordReader(LINE_FEED);
  for (let line = reader.next(); line !== undefined; line = reader.next()) {
    lines.push(line.replace(/\r?\n$/, ''));
  }
  return lines;
}
