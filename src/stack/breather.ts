// Lets the event loop turn now and then in work that is done in pieces. Awaiting what is done at once does not:
// a promise that is settled already goes on before anything else has its turn.

import { monotonicNow } from '../clock.ts';

/** So long work may go on, ms. */
const LONGEST_STRETCH = 1;

export class Breather {
  #since = monotonicNow();

  /** Lets the event loop turn, if it has not for a while. */
  async breathe(): Promise<void> {
    if (monotonicNow() - this.#since < LONGEST_STRETCH) return;
    await new Promise((resume) => setImmediate(resume));
    this.#since = monotonicNow();
  }
}
