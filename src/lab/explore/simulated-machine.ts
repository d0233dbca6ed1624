// A machine whose processes are started and killed by the explorer: what locks ask about their owners.

import type { Machine, Sighting } from '../../stack/lock/owner.ts';

/** A process of a simulated machine, as its locks see it. */
export interface SimulatedProcess extends Machine {
  readonly pid: number;
}

const HOST = 'simulated';

export class SimulatedMachine {
  readonly #boot: string;
  readonly #living = new Set<number>();
  #lastPid = 0;
  #tokens = 0;

  /** Of two machines with different `boot`, one is the other after it was started anew. */
  constructor(boot: string) {
    this.#boot = boot;
  }

  start(): SimulatedProcess {
    const pid = ++this.#lastPid;
    this.#living.add(pid);
    const identity = { thread: pid, started: pid, boot: this.#boot, namespaces: 'simulated' };
    return {
      pid,
      self: () => ({ pid, host: HOST, identity }),
      // Its first digits are part of the names of temporary files.
      newToken: () => (++this.#tokens).toString(16).padStart(6, '0').padEnd(32, '0'),
      look: (asked): Sighting => (this.isAlive(asked) ? { state: 'S', started: asked } : 'gone'),
    };
  }

  kill({ pid }: { pid: number }): void {
    this.#living.delete(pid);
  }

  isAlive(pid: number): boolean {
    return this.#living.has(pid);
  }
}
