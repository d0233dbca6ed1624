// How a command ends when it cannot do what it was asked to, in Git's manner.

/** Ends the command: `kind: message` on standard error, if there is a message, and the exit code. */
export class Failure extends Error {
  readonly kind: 'fatal' | 'error';
  readonly exitCode: number;

  constructor(kind: 'fatal' | 'error', message: string, exitCode: number) {
    super(message);
    this.kind = kind;
    this.exitCode = exitCode;
  }
}

/** The command was called the wrong way: the message, if there is one, and how to call it. Exit code 129. */
export class UsageError extends Error {
  /** Whether the command's help follows the message. */
  readonly showsHelp: boolean;
  /** What stands before the message. */
  readonly prefix: string;

  constructor(message = '', { showsHelp = true, prefix = 'error: ' } = {}) {
    super(message);
    this.showsHelp = showsHelp;
    this.prefix = prefix;
  }
}

/** `fatal: MESSAGE`, exit code 128: Git's `die`. */
export function die(message: string): never {
  throw new Failure('fatal', message, 128);
}

/** `error: MESSAGE` and an exit code: Git's `return error(…)`. */
export function fail(message: string, exitCode = 1): never {
  throw new Failure('error', message, exitCode);
}
