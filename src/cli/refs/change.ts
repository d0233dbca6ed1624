// What the subcommands share that change one ref: their options, and how a refusal is told.

import type { RefStore } from '../../refs/ref-store.ts';
import { die, fail, refusalOf } from '../failure.ts';
import { resolveOid } from '../revisions/resolve-oid.ts';

export const DEREF_HELP =
  '    --no-deref            change <ref> itself and not the ref that it names\n';
export const MESSAGE_HELP = '    --message <reason>    what the reflog says of the change\n';
export const REFLOG_HELP =
  '    --create-reflog       start a reflog where the repository would not keep one\n';

/** The reflog message that was given, which must not be empty. */
export function checkMessage(message: string | undefined): string | undefined {
  return message === '' ? die('refusing to perform update with empty message') : message;
}

/** The object id that a value names; `what` is how the message calls it. */
export function objectId(store: RefStore, value: string, what: string): string {
  return resolveOid(store, value) ?? die(`invalid ${what}: '${value}'`);
}

/** Makes the change; a refusal is told behind `prefix`. */
export async function change(prefix: string, make: () => Promise<unknown>): Promise<number> {
  try {
    await make();
  } catch (error) {
    fail(prefix + refusalOf(error));
  }
  return 0;
}
