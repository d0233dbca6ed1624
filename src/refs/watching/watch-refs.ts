// Watching refs: the changes that feeds give, one after the other, as somebody asks for them. spec/watching.md says
// what is promised.

import type { RefChange } from '../ref-store.ts';
import { Bell } from './bell.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { CheckedWatchOptions } from './watch-options.ts';

/** Owns the feeds and closes them. The options were checked. */
export function watchRefs(
  feeds: readonly ChangeFeed[],
  { signal, persistent, pollInterval }: CheckedWatchOptions,
): AsyncIterableIterator<RefChange> {
  const bell = new Bell();
  let isOver = false;
  const ring = () => bell.ring();
  const end = () => {
    isOver = true;
    bell.ring();
  };
  const ends = feeds.map((feed) => feed.listen(persistent, ring));
  const timer = pollInterval > 0 ? setInterval(ring, pollInterval) : undefined;
  if (!persistent) timer?.unref();
  signal?.addEventListener('abort', end);

  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    signal?.removeEventListener('abort', end);
    clearInterval(timer);
    for (const stop of ends) stop();
    for (const feed of feeds) feed.close();
  };

  async function* changes(): AsyncGenerator<RefChange, undefined> {
    try {
      for (;;) {
        for (const feed of feeds) {
          for await (const change of feed.changes()) {
            if (isOver) break;
            yield change;
          }
        }
        if (!isOver) await bell.rung();
        signal?.throwIfAborted();
        if (isOver) return undefined;
      }
    } finally {
      close();
    }
  }

  const inner = changes();
  return {
    next: () => inner.next(),
    async return() {
      // Who waits for the next change is told that there is none.
      end();
      const result = await inner.return(undefined);
      // One that nobody has asked yet has nothing that would do it.
      close();
      return result;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
