// `reftable reflog show`: what refs were before, an entry a line.

import { parseApproximateDate } from '../../reflog/approximate-date.ts';
import { type DateFormat, dateFormat, zonedTime } from '../../reflog/date-format.ts';
import type { ReflogEntry, RefReader, RefStore } from '../../refs/ref-store.ts';
import { resolveIfPossible } from '../../refs/resolve.ts';
import { die, Failure, HelpRequest } from '../failure.ts';
import { stdout } from '../output.ts';
import { findLogs } from '../ref-names.ts';
import { openObjects, openRepository } from '../repository.ts';
import { expandName } from '../revisions/branch-shorthand.ts';
import { Peeling } from '../revisions/peeling.ts';
import { resolveOid } from '../revisions/resolve-oid.ts';
import { stdoutIsTerminal } from '../terminal.ts';

export const help = `usage: reftable reflog [show] [-<n>] [--date=<format>] [<ref>[@{<specifier>}]...]

    -<n>, -n <n>, --max-count=<n>
                          at most <n> entries
    --skip=<n>            leave out the first <n>
    --date=<format>       tell when it was, and not how many entries back: default, human, iso, iso-strict,
                          raw, relative, rfc, short, unix, format:<text>; with -local behind the first
                          word by this machine's clock

An entry is told as '<object id> <ref>@{<how many entries back>}: <message>', the object id by its
first seven digits. As in Git, entries that tell of a deletion, or of what is no commit, are counted
but not shown.
`;

/** As in Git in a small repository; in a large one the objects tell how many are needed. */
const ABBREVIATION = 7;

const DEFAULT_FORMAT = dateFormat();

interface ShowOptions {
  maxCount: number;
  skip: number;
  /** How entries are told by when they were made, if they are to be. */
  date: DateFormat | undefined;
}

/** A log from one of its entries on. */
interface Walk {
  /** As it is told. */
  name: string;
  /** Newest first. */
  entries: readonly ReflogEntry[];
  /** The next entry to show. */
  next: number;
  selector: 'none' | 'number' | 'date';
}

export function run(args: readonly string[]): number {
  if (args.length === 1 && args[0] === '-h') throw new HelpRequest();
  const store = openRepository();
  const { options, names } = parseShowArguments(args);
  const now = Math.floor(Date.now() / 1000);
  if (names.length === 0) names.push('HEAD');
  const walks = names
    .map((given) => walkOf(store, given, now))
    .filter((walk) => walk !== undefined);
  const areCommits = new Map<string, boolean>();
  const peeling = new Peeling(openObjects());
  const isShown = ({ newOid }: ReflogEntry) => {
    const isCommit = areCommits.get(newOid) ?? peeling.typeOf(newOid) === 'commit';
    areCommits.set(newOid, isCommit);
    return isCommit;
  };
  let { skip, maxCount } = options;
  for (;;) {
    const walk = newest(walks, isShown);
    if (walk === undefined) return 0;
    const at = walk.next++;
    if (skip-- > 0) continue;
    if (maxCount-- <= 0) return 0;
    const { newOid, message, committer } = walk.entries[at]!;
    const format = options.date ?? DEFAULT_FORMAT;
    const showsDate =
      walk.selector === 'date' || (walk.selector === 'none' && options.date !== undefined);
    const place = showsDate ? format(zonedTime(committer)) : at;
    stdout.write(`${newOid.slice(0, ABBREVIATION)} ${walk.name}@{${place}}: ${message}\n`);
  }
}

/** As `git log` reads them: no abbreviations, and numbers for themselves. */
function parseShowArguments(args: readonly string[]): { options: ShowOptions; names: string[] } {
  const options: ShowOptions = { maxCount: Infinity, skip: 0, date: undefined };
  const names: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') {
      if (at + 1 < args.length) die('only whole logs can be shown, not those of paths');
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      names.push(arg);
      continue;
    }
    const short = /^-(?:n(.+)|(\d.*))$/s.exec(arg);
    const long = /^(-n|--(?:max-count|skip|date))(?:=(.*))?$/s.exec(arg);
    if (short !== null) {
      options.maxCount = count(short[1] ?? short[2]!);
    } else if (long !== null) {
      const [, option = '', inline] = long;
      const value = inline ?? args[++at];
      if (value === undefined) throw missingValue(option);
      if (option === '--date') options.date = dateFormat(value, stdoutIsTerminal());
      else if (option === '--skip') options.skip = count(value, 0);
      else options.maxCount = count(value);
    } else {
      die(`unrecognized argument: ${arg}`);
    }
  }
  return { options, names };
}

function missingValue(option: string): Failure {
  return option === '-n'
    ? new Failure('error', '-n requires an argument', 128)
    : new Failure('fatal', `Option '${option}' requires a value`, 128);
}

function count(text: string, forNegative = Infinity): number {
  if (!/^[ \t]*[+-]?\d+$/.test(text)) die(`'${text}': not an integer`);
  const number = Number(text);
  return number < 0 ? forNegative : number;
}

/** The walk that goes on with the newest entry of all, of those that have one to show. */
function newest(
  walks: readonly Walk[],
  isShown: (entry: ReflogEntry) => boolean,
): Walk | undefined {
  let best: Walk | undefined;
  let bestTime = -1;
  for (const walk of walks) {
    const { entries } = walk;
    while (walk.next < entries.length && !isShown(entries[walk.next]!)) walk.next++;
    const time = entries[walk.next]?.committer.time;
    if (time === undefined || time <= bestTime) continue;
    best = walk;
    bestTime = time;
  }
  return best;
}

/** Ends the command if nothing is meant; `undefined` if it has no log, or none so far back. */
function walkOf(store: RefStore, given: string, now: number): Walk | undefined {
  const oid = resolveOid(store, given) ?? refuseMissing(store, given);
  const peeling = new Peeling(openObjects());
  if (peeling.typeOf(oid) === undefined) die(`bad object ${given}`);
  const peeled = peeling.peel(oid, (missing) => die(`bad object ${missing.oid}`));
  // A log is walked as a history is, from a commit on.
  if (peeled?.type !== 'commit') return undefined;
  const at = given.search(/@\{(?!-\d|u\}|upstream\}|push\})/i);
  const before = at === -1 ? given : given.slice(0, at);
  const expanded = expandName(store, before) ?? before;
  const name = at === 0 ? (store.read('HEAD')?.target ?? 'HEAD') : expanded;
  const log = completeLog(store, name);
  if (log === undefined) return undefined;
  if (at === -1) return { ...log, next: 0, selector: 'none' };
  const place = given.slice(at + 2);
  const number = /^\s*\+?(\d+)\}/.exec(place)?.[1];
  if (number !== undefined) return { ...log, next: Number(number), selector: 'number' };
  const time = parseApproximateDate(place, now) ?? now;
  const next = log.entries.findIndex(({ committer }) => committer.time <= time);
  return next === -1 ? undefined : { ...log, next, selector: 'date' };
}

/** The log that a name stands for. Git looks in these places before all others, and keeps the name. */
function completeLog(
  store: RefReader,
  name: string,
): { name: string; entries: readonly ReflogEntry[] } | undefined {
  const logs = findLogs(store, name);
  const others = logs.length === 1 ? [logs[0]!.name] : [];
  for (const each of [name, ...others]) {
    for (const place of [
      each,
      resolveIfPossible(store, each)?.name,
      `refs/${each}`,
      `refs/heads/${each}`,
    ]) {
      const entries = place === undefined ? [] : [...store.reflog(place)];
      if (entries.length > 0) return { name: each, entries };
    }
  }
  return undefined;
}

function refuseMissing(store: RefStore, given: string): never {
  const branch = given === 'HEAD' ? store.read('HEAD')?.target : undefined;
  if (branch !== undefined) {
    const name = branch.replace(/^refs\/heads\//, '');
    die(`your current branch '${name}' does not have any commits yet`);
  }
  // Git looks once more before it says so, and warns once more.
  resolveOid(store, given);
  die(
    `ambiguous argument '${given}': unknown revision or path not in the working tree.\n` +
      "Use '--' to separate paths from revisions, like this:\n" +
      "'git <command> [<revision>...] -- [<file>...]'",
  );
}
