// Reading and writing the process's own descriptors: whole calls, without the streams of `process`,
// which cost system calls and start-up time.

import { read, readSync, writeSync } from 'node:fs';

/** How long to wait before asking again a descriptor that is not ready, ms. */
const RETRY_PAUSE = 1;

/** The exit code of a process that a broken pipe ended, as a shell tells it. */
const BROKEN_PIPE_EXIT_CODE = 128 + 13;

/** Reads into `buffer` from `start` on and returns how many bytes came; 0 at the end of the input. */
export function readSome(descriptor: number, buffer: Uint8Array, start: number): number {
  for (;;) {
    try {
      return readSync(descriptor, buffer, start, buffer.length - start, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // What Windows says at the end of a pipe.
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      pause();
    }
  }
}

/** The same, with the event loop free until something has come: signals are heard meanwhile. */
export function readSomeLater(
  descriptor: number,
  buffer: Uint8Array,
  start: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, start, buffer.length - start, null, (error, count) => {
      if (error === null) resolve(count);
      else if (error.code === 'EOF') resolve(0);
      else if (error.code !== 'EAGAIN') reject(error);
      else setTimeout(() => resolve(readSomeLater(descriptor, buffer, start)), RETRY_PAUSE);
    });
  });
}

/** Writes all of `bytes`. Where nobody reads any more, the process ends without a word. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') process.exit(BROKEN_PIPE_EXIT_CODE);
      if (code !== 'EAGAIN') throw error;
      pause();
    }
  }
}

/** Somebody has set the descriptor, which others share, to non-blocking: all there is is to wait. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_PAUSE);
}
