// How a command ends when it cannot do what it was asked to, in Git's manner.

import { RefError, type RefErrorCode } from '../errors.ts';
import { writeError } from './output.ts';

/** Ends the command: `kind: message` on standard error and the exit code. */
export class Failure extends Error {
  readonly kind: 'fatal' | 'error' | 'usage';
  readonly exitCode: number;

  constructor(kind: 'fatal' | 'error' | 'usage', message: string, exitCode: number) {
    super(message);
    this.kind = kind;
    this.exitCode = exitCode;
  }
}

/** The command was called the wrong way: the message, if there is one, and how to call it. Exit code 129. */
export class UsageError extends Error {
  /** Whether how to call the command follows the message. */
  readonly showsHelp: boolean;
  /** What stands before the message. */
  readonly prefix: string;
  /** How to call the part of the command that was called, where it has parts. */
  help: string | undefined;

  constructor(message = '', { showsHelp = true, prefix = 'error: ' } = {}) {
    super(message);
    this.showsHelp = showsHelp;
    this.prefix = prefix;
  }
}

/** The command was asked by an option how it is called. Exit code 129, too, but on standard output. */
export class HelpRequest extends Error {
  /** As that of a `UsageError`. */
  help: string | undefined;
}

/** A shell asked what may stand where it did: the words, a blank apart. Exit code 0. */
export class Completion extends Error {}

/** `fatal: MESSAGE`, exit code 128: Git's `die`. */
export function die(message: string): never {
  throw new Failure('fatal', message, 128);
}

/** `error: MESSAGE` and an exit code: Git's `return error(…)`. */
export function fail(message: string, exitCode = 1): never {
  throw new Failure('error', message, exitCode);
}

/** `usage: MESSAGE`, exit code 129: Git's `usage`. */
export function misuse(message: string): never {
  throw new Failure('usage', message, 129);
}

/** What stops a transaction without being about its refs: Git ends with that and says no more. */
const NOT_ABOUT_REFS: ReadonlySet<RefErrorCode> = new Set([
  'HOOK_DECLINED',
  'INVALID_CONFIG',
  'UNSUPPORTED_REPOSITORY',
]);

/** What is wrong with an object Git tells before it tells what cannot be done for that. */
export function tellCause(cause: unknown): void {
  const isObjects = cause instanceof RefError && cause.code === 'CORRUPT_OBJECT';
  if (isObjects) writeError(`error: ${cause.message}\n`);
}

/** What the library says of a transaction that it refuses; throws `error` where that is not for a command to word. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof RefError) || NOT_ABOUT_REFS.has(error.code)) throw error;
  // A date or an identity of the environment's.
  if (error.code === 'INVALID_ARGUMENT' && error.ref === undefined) throw error;
  // Git finds out while it writes, and does not know of which ref.
  if (error.code === 'RECORD_TOO_LARGE') return 'reftable: transaction failure: entry too large';
  if (error.code === 'INVALID_NEW_VALUE') tellCause(error.cause);
  return error.message;
}
