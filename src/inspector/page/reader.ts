// The worker's questions and answers as calls.

import type { Answer, Answers, Question } from './worker.ts';
import InspectionWorker from './worker.ts?worker&inline';

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

export class Reader {
  readonly #worker = new InspectionWorker();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ('error' in data) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.value);
    };
    this.#worker.onerror = ({ message }) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(message));
      this.#waiting.clear();
    };
  }

  /** Rejects with what the worker found wrong. */
  ask<M extends keyof Answers>(
    method: M,
    ...args: Parameters<Answers[M]>
  ): Promise<ReturnType<Answers[M]>> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#worker.postMessage({ id, method, args } satisfies Question);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
    });
  }

  close(): void {
    this.#worker.terminate();
  }
}
