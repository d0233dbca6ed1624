// Opening the refs of a repository, whatever its backend: the face that checks what callers pass.

import * as z from 'zod/mini';
import { RefError } from '../errors.ts';
import type { ReflogPolicy } from '../reflog/policy.ts';
import type { RefStore } from '../refs/ref-store.ts';
import { type OpenRefStoreOptions, openBackend } from './backend.ts';

const optionsSchema = z.strictObject({
  // No record of zod's: that refuses `process.env`, which is no plain object.
  env: z.optional(z.custom<OpenRefStoreOptions['env']>(isEnvironment)),
  lockTimeout: z.optional(z.int().check(z.gte(-1))),
  reflogPolicy: z.optional(z.custom<ReflogPolicy>((value) => typeof value === 'function')),
  fsync: z.optional(z.boolean()),
  autoCompaction: z.optional(z.boolean()),
});

/**
 * Opens the refs of the repository at `gitDir` (`.git`, or the folder of a bare repository).
 *
 * Throws `NOT_A_REPOSITORY`; `UNSUPPORTED_REPOSITORY` for a format, an extension or a ref storage that is
 * not known, saying which was found; `INVALID_CONFIG`; `INVALID_ARGUMENT` for arguments of another shape.
 */
export function openRefStore(gitDir: string, options: OpenRefStoreOptions = {}): RefStore {
  if (typeof gitDir !== 'string' || gitDir === '') {
    const found = typeof gitDir === 'string' ? 'an empty string' : typeof gitDir;
    throw new RefError('INVALID_ARGUMENT', `gitDir: expected a path, found ${found}`);
  }
  const { error } = optionsSchema.safeParse(options);
  if (error === undefined) return openBackend(gitDir, options);
  const [issue] = error.issues;
  const message = `${['options', ...issue!.path].join('.')}: ${issue!.message}`;
  throw new RefError('INVALID_ARGUMENT', message, { cause: error });
}

function isEnvironment(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((text) => text === undefined || typeof text === 'string');
}
