// `reftable reflog`: what refs pointed at before, and which refs have such a log.

import { zeroOid } from '../../format/object-format.ts';
import type { RefStore } from '../../refs/ref-store.ts';
import { parseArguments } from '../arguments.ts';
import { die, fail } from '../failure.ts';
import { stdout } from '../output.ts';
import { findRefs } from '../ref-names.ts';
import { openRepository } from '../repository.ts';

export const help = `usage: reftable reflog [show] [-<n>] [<ref>]
   or: reftable reflog list

    show                  the log of a ref, HEAD by default, newest entry first
    list                  the refs that have a log

    -<n>, -n <n>, --max-count=<n>
                          at most <n> entries

An entry is told as '<object id> <ref>@{<how many entries back>}: <message>', the object id by its
first seven digits. As in Git, entries that tell of a deletion are counted but not shown.
`;

/** As in Git in a small repository; in a large one the objects tell how many are needed. */
const ABBREVIATION = 7;

export function run(args: readonly string[]): number {
  const [subcommand, ...rest] = args;
  if (subcommand === 'list') return list(rest);
  return show(subcommand === 'show' ? rest : args);
}

function list(args: readonly string[]): number {
  const { operands } = parseArguments(args, {});
  if (operands.length > 0) fail(`list does not accept arguments: '${operands[0]}'`, 255);
  const refs = openRepository().snapshot();
  for (const name of refs.reflogNames()) stdout.write(`${name}\n`);
  return 0;
}

function show(args: readonly string[]): number {
  const { options, operands } = parseArguments(
    args.map((arg) => (/^-\d+$/.test(arg) ? `-n${arg.slice(1)}` : arg)),
    { 'max-count': { short: 'n', takes: 'text' } },
  );
  const maxCount = options['max-count'];
  if (maxCount !== undefined && !/^-?\d+$/.test(maxCount)) die(`'${maxCount}': not an integer`);
  if (operands.length > 1) die('reflog show takes one ref');

  const store = openRepository();
  const log = findLog(store, operands[0] ?? 'HEAD');
  if (log === undefined) return 0;
  const zero = zeroOid(store.objectFormat);
  let left = maxCount === undefined || Number(maxCount) < 0 ? Infinity : Number(maxCount);
  let entriesBack = -1;
  for (const { newOid, message } of store.reflog(log.name)) {
    entriesBack++;
    if (newOid === zero) continue;
    if (left-- <= 0) break;
    stdout.write(`${newOid.slice(0, ABBREVIATION)} ${log.shownAs}@{${entriesBack}}: ${message}\n`);
  }
  return 0;
}

/** The log that is meant, and what its entries are called; `undefined` if the ref has none. */
function findLog(store: RefStore, name: string): { name: string; shownAs: string } | undefined {
  const given = name === '@' ? 'HEAD' : name;
  const existing = findRefs(store, given);
  if (existing.length === 0) refuseMissing(store, given);
  // Git looks in these places before it tries all that the name may stand for, and keeps the name.
  for (const full of [given, `refs/${given}`, `refs/heads/${given}`]) {
    if (store.hasReflog(full)) return { name: full, shownAs: given };
  }
  for (const { name: full, resolved } of existing) {
    if (store.hasReflog(full)) return { name: full, shownAs: full };
    if (store.hasReflog(resolved.name)) return { name: resolved.name, shownAs: resolved.name };
  }
  return undefined;
}

function refuseMissing(store: RefStore, given: string): never {
  const branch = given === 'HEAD' ? store.read('HEAD')?.target : undefined;
  if (branch !== undefined) {
    const name = branch.replace(/^refs\/heads\//, '');
    die(`your current branch '${name}' does not have any commits yet`);
  }
  die(
    `ambiguous argument '${given}': unknown revision or path not in the working tree.\n` +
      "Use '--' to separate paths from revisions, like this:\n" +
      "'git <command> [<revision>...] -- [<file>...]'",
  );
}
