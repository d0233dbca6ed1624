// Whether standard output is a terminal: few calls want to know, and loading node:tty takes as long as reading a
// repository.

import { createRequire } from 'node:module';

/** Whether a person sees the output as it is written. */
export function stdoutIsTerminal(): boolean {
  const { isatty } = createRequire(process.execPath)('node:tty') as typeof import('node:tty');
  return isatty(1);
}
