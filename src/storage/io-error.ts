// A failed system call as an error of this library: what was to be done, to which file, and why not.

import { RefError } from '../errors.ts';

/** The system's own words, as Git prints them too. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied',
  EEXIST: 'File exists',
  EIO: 'Input/output error',
  EISDIR: 'Is a directory',
  EMFILE: 'Too many open files',
  ENOENT: 'No such file or directory',
  ENOSPC: 'No space left on device',
  ENOTDIR: 'Not a directory',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
};

/** Why a system call failed, in the system's words. */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && REASONS[code]) || message;
}

/**
 * `IO`, caused by `cause`: `Unable to create 'x.lock': Permission denied`. What is not the error of a
 * system call comes back as it is: the library's own errors say more, and a bug should look like one.
 */
export function ioError(action: string, file: string, cause: unknown): unknown {
  if (cause instanceof RefError || !(cause instanceof Error)) return cause;
  if ((cause as NodeJS.ErrnoException).code === undefined) return cause;
  const message = `Unable to ${action} '${file}': ${systemReason(cause)}`;
  return new RefError('IO', message, { file, cause });
}
