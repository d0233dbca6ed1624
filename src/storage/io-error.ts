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

/**
 * `IO`, caused by `cause`: `Unable to create 'x.lock': Permission denied`. An error that is the library's
 * own already says more, and comes back as it is.
 */
export function ioError(action: string, file: string, cause: unknown): RefError {
  if (cause instanceof RefError) return cause;
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const reason = REASONS[code] ?? message;
  return new RefError('IO', `Unable to ${action} '${file}': ${reason}`, { file, cause });
}
