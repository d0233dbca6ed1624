// `reftable symbolic-ref`: shows, sets and deletes refs that name other refs.

import { checkRefName } from '../../refs/ref-name.ts';
import type { RefStore, RefUpdate } from '../../refs/ref-store.ts';
import { MAX_SYMREF_DEPTH } from '../../refs/resolve.ts';
import { parseArguments } from '../arguments.ts';
import { die, fail, refusalOf, UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { shortenRefName } from '../ref-names.ts';
import { openRepository } from '../repository.ts';

export const help = `usage: reftable symbolic-ref [-m <reason>] <name> <ref>
   or: reftable symbolic-ref [-q] [--short] [--no-recurse] <name>
   or: reftable symbolic-ref --delete [-q] <name>

    -q, --quiet       say nothing of a ref that is not symbolic
    -d, --delete      delete the symbolic ref
    --short           shorten the name that is shown
    --no-recurse      stop at the first ref that is named
    -m <reason>       what the reflog says of the change
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    quiet: { short: 'q' },
    delete: { short: 'd' },
    short: {},
    recurse: {},
    message: { short: 'm', takes: 'text', hasNoLongForm: true },
  });
  if (options.message === '') die('Refusing to perform update with empty message');
  const [name, target] = operands;
  const wanted = options.delete === true ? [1] : [1, 2];
  if (name === undefined || !wanted.includes(operands.length)) throw new UsageError();

  const store = openRepository();
  if (options.delete === true) return deleteSymref(store, name);
  if (target !== undefined) return writeSymref(store, name, target, options.message);

  const found = symrefTarget(store, name, options.recurse !== false);
  if (found === undefined) {
    if (options.quiet === true) return 1;
    die(`ref ${name} is not a symbolic ref`);
  }
  stdout.write(`${options.short === true ? shortenRefName(store, found) : found}\n`);
  return 0;
}

const ALLOW_ONE_LEVEL = { allowOneLevel: true };

/**
 * The name that a symref stands for, at the end of those that follow if `recurse`; `undefined` if it is no
 * symref, or is not there. Dies where no ref can be at the end: names that none can have, symrefs in a circle.
 */
function symrefTarget(store: RefStore, name: string, recurse: boolean): string | undefined {
  let at = name;
  for (let depth = 0; depth < MAX_SYMREF_DEPTH; depth++) {
    if (checkRefName(at, ALLOW_ONE_LEVEL) !== undefined) break;
    const target = store.read(at)?.target;
    if (target === undefined) return depth === 0 ? undefined : at;
    if (!recurse) return target;
    at = target;
  }
  return die(`No such ref: ${name}`);
}

async function deleteSymref(store: RefStore, name: string): Promise<number> {
  if (symrefTarget(store, name, false) === undefined) {
    die(`Cannot delete ${name}, not a symbolic ref`);
  }
  if (name === 'HEAD') die(`deleting '${name}' is not allowed`);
  return commit(store, { type: 'symref-delete', ref: name });
}

async function writeSymref(
  store: RefStore,
  name: string,
  target: string,
  message: string | undefined,
): Promise<number> {
  if (name === 'HEAD' && !target.startsWith('refs/')) {
    die('Refusing to point HEAD outside of refs/');
  }
  if (checkRefName(target, ALLOW_ONE_LEVEL) !== undefined) {
    die(`Refusing to set '${name}' to invalid ref '${target}'`);
  }
  return commit(store, { type: 'symref-update', ref: name, newTarget: target }, message);
}

async function commit(store: RefStore, update: RefUpdate, message?: string): Promise<number> {
  try {
    await store.transaction([update], { message });
    return 0;
  } catch (error) {
    fail(refusalOf(error));
  }
}
