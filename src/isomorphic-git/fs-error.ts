// Errors as a file system has them: isomorphic-git looks at their codes.

import { RefError } from '../errors.ts';

const REASONS = {
  EEXIST: 'file already exists',
  EINVAL: 'invalid argument',
  EISDIR: 'illegal operation on a directory',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EPERM: 'operation not permitted',
} as const;

export type FsErrorCode = keyof typeof REASONS;

/** `ENOENT: no such file or directory, open '…'`, as Node words it. */
export function fsError(code: FsErrorCode, call: string, path: string, cause?: unknown): Error {
  const message = `${code}: ${REASONS[code]}, ${call} '${path}'`;
  return Object.assign(new Error(message, { cause }), { code, syscall: call, path });
}

/** What a change of refs failed with, as the change of a file would fail; other errors as they are. */
export function asFsError(error: unknown, call: string, path: string): unknown {
  if (!(error instanceof RefError)) return error;
  // A ref's name is a folder of another's, or the other way round.
  if (error.code === 'NAME_CONFLICT') return fsError('ENOTDIR', call, path, error);
  if (error.code === 'BAD_NAME') return fsError('EINVAL', call, path, error);
  return error;
}
