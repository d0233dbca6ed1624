// The options of a store's methods, as a caller gives them, checked.

import { RefError } from '../../errors.ts';
import type { OptimizeOptions, TransactionOptions } from '../ref-store.ts';

/** A copy of what was given. Throws `INVALID_ARGUMENT` for a wrong shape. */
export function checkedOptions(options: TransactionOptions): TransactionOptions {
  expectThat(isObject(options), 'options: expected an object', options);
  const { message, committer, createReflog, batchUpdates } = options;
  const isIdentity = committer === undefined || isObject(committer);
  expectThat(isIdentity, 'committer: expected an identity', committer);
  for (const [name, value] of Object.entries({ createReflog, batchUpdates })) {
    const isFlag = value === undefined || typeof value === 'boolean';
    expectThat(isFlag, `${name}: expected a boolean`, value);
  }
  const isText = message === undefined || typeof message === 'string';
  expectThat(isText, 'message: expected a string', message);
  return { message, committer, createReflog, batchUpdates };
}

/** The same for `optimize`. */
export function checkedOptimizeOptions(options: OptimizeOptions): OptimizeOptions {
  expectThat(isObject(options), 'options: expected an object', options);
  const { auto, prune, include, exclude, expireLogs } = options;
  for (const [name, value] of Object.entries({ auto, prune })) {
    const isFlag = value === undefined || typeof value === 'boolean';
    expectThat(isFlag, `${name}: expected a boolean`, value);
  }
  for (const [name, value] of Object.entries({ include, exclude })) {
    const isList = value === undefined || (Array.isArray(value) && value.every(isText));
    expectThat(isList, `${name}: expected an array of patterns`, value);
  }
  const checked = { auto, prune, include, exclude };
  if (expireLogs === undefined) return checked;
  expectThat(isObject(expireLogs), 'expireLogs: expected an object', expireLogs);
  const { minUpdateIndex, minTime } = expireLogs;
  for (const [name, value] of Object.entries({ minUpdateIndex, minTime })) {
    const isNumber = value === undefined || (Number.isSafeInteger(value) && value >= 0);
    expectThat(isNumber, `expireLogs.${name}: expected a whole number`, value);
  }
  return { ...checked, expireLogs: { minUpdateIndex, minTime } };
}

/** Throws `INVALID_ARGUMENT` unless it is so. */
export function expectThat(isSo: boolean, expected: string, found: unknown): void {
  if (!isSo) throw new RefError('INVALID_ARGUMENT', `${expected}, found ${String(found)}`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
