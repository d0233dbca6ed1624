// The options of watching, as a caller gives them, checked.

import type { WatchOptions } from '../ref-store.ts';
import { expectThat } from '../transaction/transaction-options.ts';

export interface CheckedWatchOptions {
  prefix: string;
  includeRoot: boolean;
  signal: AbortSignal | undefined;
  persistent: boolean;
  pollInterval: number;
}

/** With the defaults filled in. Throws `INVALID_ARGUMENT` for a wrong shape, and the reason of an aborted signal. */
export function checkedWatchOptions(options: WatchOptions): CheckedWatchOptions {
  const isObject = typeof options === 'object' && options !== null;
  expectThat(isObject, 'options: expected an object', options);
  const { prefix = '', includeRoot = false, persistent = true, pollInterval = 1000 } = options;
  const { signal } = options;
  expectThat(typeof prefix === 'string', 'prefix: expected a string', prefix);
  expectThat(typeof includeRoot === 'boolean', 'includeRoot: expected a boolean', includeRoot);
  expectThat(typeof persistent === 'boolean', 'persistent: expected a boolean', persistent);
  const isTime = Number.isSafeInteger(pollInterval) && pollInterval >= 0;
  expectThat(isTime, 'pollInterval: expected a whole number of ms', pollInterval);
  const isSignal = signal === undefined || signal instanceof AbortSignal;
  expectThat(isSignal, 'signal: expected an AbortSignal', signal);
  signal?.throwIfAborted();
  return { prefix, includeRoot, signal, persistent, pollInterval };
}
