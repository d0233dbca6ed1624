// Who waits for which lock inside this process: first come, first served, and only the head of a queue
// looks at the lock file. A lock that is given back passes straight to the next in its queue.

/** Those who wait, by the path of the lock; a path without an entry is free. */
const queues = new Map<string, Set<() => void>>();

/** The longest delay that a timer takes, ms. */
const LONGEST_DELAY = 2 ** 31 - 1;

/**
 * Waits for its turn, at most `timeout` ms (0: not at all, -1: for ever); whether it came. Who got a
 * turn must end it with `leaveQueue`.
 */
export function enterQueue(path: string, timeout: number): Promise<boolean> {
  const waiting = queues.get(path);
  if (!waiting) {
    queues.set(path, new Set());
    return Promise.resolve(true);
  }
  if (timeout === 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const takeTurn = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const giveUp = () => {
      waiting.delete(takeTurn);
      resolve(false);
    };
    waiting.add(takeTurn);
    if (timeout > 0) timer = setTimeout(giveUp, Math.min(timeout, LONGEST_DELAY));
  });
}

/** Ends a turn. */
export function leaveQueue(path: string): void {
  const waiting = queues.get(path);
  const next = waiting?.values().next().value;
  if (!waiting || !next) {
    queues.delete(path);
  } else {
    waiting.delete(next);
    next();
  }
}
