// A simulated process that can be stopped before any of its calls, also in the middle of code that does not wait, and go
// on later or never. To let it go on it is run again from its beginning: calls that it has made are answered as they
// were, and the next ones are made. What it does is therefore to depend on its calls alone.

import type { Machine } from '../../stack/lock/owner.ts';
import type { FileSystem } from '../../storage/file-system.ts';
import { MemoryFileSystem } from '../../storage/memory-file-system.ts';
import { steppedFileSystem } from './stepped-file-system.ts';

/** What a process sees of the world. */
export interface ProcessView {
  readonly fs: FileSystem;
  readonly machine: Machine;
  /** What the process's paths begin with; the same file for all, and a name unlike that of any other run. */
  readonly mount: string;
  /** Lets others go first. */
  pause(): Promise<void>;
  /** Says what has come to pass. */
  tell(event: string): void;
}

export type Program = (view: ProcessView) => Promise<void>;

type Outcome = { value: unknown } | { error: unknown };

/** Makes a call, or answers as it was answered before; `isSeen`: whether others may notice when it is made. */
export type Step = <T>(name: string, isSeen: boolean, work: () => T, unmade: () => T) => T;

let runs = 0;

export class SteppedProcess {
  state: 'ready' | 'waiting' | 'finished' | 'killed' = 'ready';
  /** What it has told. */
  events: readonly string[] = [];
  readonly #fs: FileSystem;
  readonly #machine: Machine;
  readonly #program: Program;
  readonly #calls: { name: string; outcome: Outcome }[] = [];

  /** `machine` gives the same tokens to each run. */
  constructor(fs: FileSystem, machine: Machine, program: Program) {
    this.#fs = fs;
    this.#machine = machine;
    this.#program = program;
  }

  /** Makes up to so many more calls that others may notice; gives how many it made. */
  async advance(count: number): Promise<number> {
    let made = 0;
    let position = 0;
    let isOver = false;
    const events: string[] = [];
    const { promise: stopped, resolve: stop } = deferred();
    const step: Step = (name, isSeen, work, unmade) => {
      if (isOver) return unmade();
      const known = this.#calls[position++];
      if (known !== undefined) {
        if (known.name === name) return answer(known.outcome) as ReturnType<typeof work>;
        throw new Error(`expected the call ${known.name} of an earlier run, found ${name}`);
      }
      if (isSeen && made === count) {
        isOver = true;
        stop();
        return unmade();
      }
      if (isSeen) made++;
      const outcome = settle(work);
      this.#calls.push({ name, outcome });
      return answer(outcome) as ReturnType<typeof work>;
    };
    const view: ProcessView = {
      // What comes after the last call is nobody's: it is played to its end in an empty world.
      fs: steppedFileSystem(this.#fs, new MemoryFileSystem(), `/run-${++runs}`, step),
      machine: this.#steppedMachine(step),
      mount: `/run-${runs}`,
      pause: async () => {
        if (this.#calls[position++] !== undefined || isOver) return;
        this.#calls.push({ name: 'pause', outcome: { value: undefined } });
        isOver = true;
        this.state = 'waiting';
        stop();
        await new Promise(() => {});
      },
      tell: (event) => {
        if (!isOver) events.push(event);
      },
    };
    this.state = 'ready';
    const finished = this.#program(view).then(
      () => {
        if (!isOver) this.state = 'finished';
      },
      (error) => {
        if (isOver) return;
        this.state = 'finished';
        events.push(`fails: ${(error as Error).message}`);
      },
    );
    await Promise.race([finished, stopped]);
    isOver = true;
    this.events = events;
    return made;
  }

  #steppedMachine(step: Step): Machine {
    const machine = this.#machine;
    let tokens = 0;
    const { pid } = machine.self();
    return {
      self: () => machine.self(),
      newToken: () => hex(pid, 4) + hex(++tokens, 28),
      look: (...asked) =>
        step(
          'look',
          true,
          () => machine.look(...asked),
          () => 'hidden' as const,
        ),
    };
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function settle(work: () => unknown): Outcome {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

function answer(outcome: Outcome): unknown {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
