// What a watcher waits at: rung when there may be something new, or when the watching ends.

export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  /** What was rung before anybody waited is not lost. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves at the first ring since it was waited for last. */
  async rung(): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#rung = false;
    this.#wake = undefined;
  }
}
