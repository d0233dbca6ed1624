// `reftable symbolic-ref`: shows, sets and deletes refs that name other refs.

import { RefError } from '../../errors.ts';
import { checkRefName } from '../../refs/ref-name.ts';
import type { RefStore, RefUpdate } from '../../refs/ref-store.ts';
import { MAX_SYMREF_DEPTH } from '../../refs/resolve.ts';
import { parseArguments } from '../arguments.ts';
import { die, fail, UsageError } from '../failure.ts';
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
    'no-recurse': {},
    message: { short: 'm', takes: 'text', hasNoLongForm: true },
  });
  if (options.message === '') die('Refusing to perform update with empty message');
  const [name, target] = operands;
  const wanted = options.delete === true ? [1] : [1, 2];
  if (name === undefined || !wanted.includes(operands.length)) throw new UsageError();

  const store = openRepository();
  if (options.delete === true) return deleteSymref(store, name);
  if (target !== undefined) return writeSymref(store, name, target, options.message);

  const found = symrefTarget(store, name, options['no-recurse'] !== true);
  if (found === undefined) {
    if (options.quiet === true) return 1;
    die(`ref ${name} is not a symbolic ref`);
  }
  stdout.write(`${options.short === true ? shortenRefName(store, found) : found}\n`);
  return 0;
}

/** The name at the end of the symrefs from `name` on; `undefined` if it is no symref. */
function symrefTarget(store: RefStore, name: string, recurse: boolean): string | undefined {
  let target = store.read(name)?.target;
  if (!recurse) return target;
  for (let depth = 1; target !== undefined; depth++) {
    const next = store.read(target)?.target;
    if (next === undefined) return target;
    if (depth >= MAX_SYMREF_DEPTH) die(`No such ref: ${name}`);
    target = next;
  }
  return undefined;
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
  if (name === 'HEAD' && !target.startsWith('refs/'))
    die('Refusing to point HEAD outside of refs/');
  if (checkRefName(target, { allowOneLevel: true }) !== undefined) {
    die(`Refusing to set '${name}' to invalid ref '${target}'`);
  }
  return commit(store, { type: 'symref-update', ref: name, newTarget: target }, message);
}

async function commit(store: RefStore, update: RefUpdate, message?: string): Promise<number> {
  try {
    await store.transaction([update], { message });
    return 0;
  } catch (error) {
    if (error instanceof RefError) fail(error.message);
    throw error;
  }
}
