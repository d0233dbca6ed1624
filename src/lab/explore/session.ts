// One process's work on a simulated repository: what it asked for, in order, what of it was acknowledged, and when.

import type { RefUpdate } from '../../refs/ref-store.ts';
import type { ReftableStore } from '../../refs/reftable-store.ts';
import type { FileSystem } from '../../storage/file-system.ts';
import type { MemoryFileSystem } from '../../storage/memory-file-system.ts';
import { BRANCH, ExpectedRefs } from './expected-refs.ts';
import type { SimulatedMachine, SimulatedProcess } from './simulated-machine.ts';
import { openSimulatedStore } from './simulated-repository.ts';

/** One thing that was asked for; moments are counted in changes of the file system. */
interface Request {
  asked: number;
  /** Infinity, as long as it was not. */
  acknowledged: number;
  /** What the refs are, once it is done. */
  refs: string;
}

export class Session {
  readonly memory: MemoryFileSystem;
  readonly machine: SimulatedMachine;
  readonly process: SimulatedProcess;
  readonly random: () => number;
  readonly #fs: FileSystem;
  #store: ReftableStore;
  #expected = new ExpectedRefs();
  #requests: Request[] = [];
  #messages = 0;

  /** `fs` is what the process sees of `memory`. */
  constructor(
    memory: MemoryFileSystem,
    fs: FileSystem,
    machine: SimulatedMachine,
    random: () => number,
  ) {
    this.memory = memory;
    this.machine = machine;
    this.process = machine.start();
    this.random = random;
    this.#fs = fs;
    this.#store = openSimulatedStore(fs, this.process, { autoCompaction: false, random });
  }

  get store(): ReftableStore {
    return this.#store;
  }

  /** Opens the store anew, with automatic compaction or without. */
  reopen({ autoCompaction }: { autoCompaction: boolean }): void {
    this.#store.close();
    const { random } = this;
    this.#store = openSimulatedStore(this.#fs, this.process, { autoCompaction, random });
  }

  /** A number from `least` to `most`. */
  number(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  /** Makes HEAD. */
  async begin(): Promise<void> {
    const update: RefUpdate = { type: 'symref-update', ref: 'HEAD', newTarget: BRANCH };
    await this.store.transaction([update]);
  }

  /**
   * Does `work`, after which the refs must be as `expect` makes them; until it is acknowledged they may also be as
   * before. What is asked for is in effect in the order of the calls.
   */
  async ask(expect: (refs: ExpectedRefs) => void, work: () => Promise<unknown>): Promise<void> {
    this.#expected = new ExpectedRefs(this.#expected);
    expect(this.#expected);
    const request = {
      asked: this.#moment,
      acknowledged: Infinity,
      refs: this.#expected.describe(),
    };
    this.#requests.push(request);
    await work();
    request.acknowledged = this.#moment;
  }

  /** A transaction that sets `count` refs, and perhaps deletes one. */
  transaction(count = this.number(1, 3)): Promise<void> {
    const updates = new Map<string, string | undefined>();
    const { branches } = this.#expected;
    if (branches.length > 2 && this.random() < 0.3) {
      updates.set(branches[this.number(0, branches.length - 1)]!, undefined);
    }
    while (updates.size < count) updates.set(this.#name(), this.oid());
    const message = this.message();
    const expect = (refs: ExpectedRefs) => {
      for (const [name, oid] of updates) refs.update(name, oid, message);
    };
    const asked = [...updates].map(
      ([ref, newOid]): RefUpdate =>
        newOid === undefined ? { type: 'delete', ref } : { type: 'update', ref, newOid },
    );
    return this.ask(expect, () => this.store.transaction(asked, { message }));
  }

  /** Unlike all before. */
  message(): string {
    return `change ${++this.#messages}`;
  }

  oid(): string {
    return Array.from({ length: 40 }, () => this.number(0, 15).toString(16)).join('');
  }

  /** Forgets what was asked so far: it is what there is. */
  startRecording(): void {
    const refs = this.#expected.describe();
    this.#requests = [{ asked: 0, acknowledged: 0, refs }];
  }

  /** What the refs may be if the process ends after so many changes. */
  acceptable(changes: number): string[] {
    const first = this.#requests.findLastIndex(({ acknowledged }) => acknowledged <= changes);
    const last = this.#requests.findLastIndex(({ asked }) => asked <= changes);
    return this.#requests.slice(first, last + 1).map(({ refs }) => refs);
  }

  get #moment(): number {
    return this.memory.journal.length;
  }

  #name(): string {
    const names = [BRANCH, 'refs/tags/v', 'refs/heads/topic-', 'refs/heads/fix-'];
    const name = names[this.number(0, names.length - 1)]!;
    return name === BRANCH ? name : `${name}${this.number(1, 9)}`;
  }
}
