// The shape of the options that callers pass. zod takes longer to start than all of our own code, so that the
// build starts it with the first call, and not when the package is imported.

import * as z from 'zod/mini';
import type { ObjectSource } from '../objects/object-source.ts';
import type { ReflogPolicy } from '../reflog/policy.ts';
import type { OpenRefStoreOptions } from './backend.ts';

// No record of zod's: that refuses `process.env`, which is no plain object.
const env = z.optional(z.custom<OpenRefStoreOptions['env']>(isEnvironment));

const open = z.strictObject({
  env,
  lockTimeout: z.optional(z.int().check(z.gte(-1))),
  reflogPolicy: z.optional(z.custom<ReflogPolicy>((value) => typeof value === 'function')),
  fsync: z.optional(z.boolean()),
  autoCompaction: z.optional(z.boolean()),
  objects: z.optional(z.custom<ObjectSource | false>(isObjectSource)),
});

const discover = z.strictObject({ env });

const init = z.strictObject({
  env,
  bare: z.optional(z.boolean()),
  gitDir: z.optional(z.string().check(z.minLength(1))),
  initialBranch: z.optional(z.string()),
  objectFormat: z.optional(z.enum(['sha1', 'sha256'])),
  refFormat: z.optional(z.enum(['files', 'reftable'])),
  shared: z.optional(z.union([z.string(), z.literal(true)])),
});

const SCHEMAS = { open, discover, init };

/** What is wrong with the options of a function, in words; `undefined` if nothing is. */
export function complaintAbout(
  options: unknown,
  of: 'open' | 'discover' | 'init' = 'open',
): string | undefined {
  const { error } = SCHEMAS[of].safeParse(options);
  if (error === undefined) return undefined;
  const [issue] = error.issues;
  return `${['options', ...issue!.path].join('.')}: ${issue!.message}`;
}

function isObjectSource(value: unknown): boolean {
  if (value === false) return true;
  const { lookup, read } = (value ?? {}) as Partial<ObjectSource>;
  return typeof lookup === 'function' && typeof read === 'function';
}

function isEnvironment(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((text) => text === undefined || typeof text === 'string');
}
