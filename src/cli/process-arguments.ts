// The arguments of the process. Node decodes them as UTF-8 and loses what is not, which names of refs may hold.

import { readFileSync } from 'node:fs';
import { decodeText } from '../format/text.ts';

/** What `process.argv` has instead of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

/** What stands behind the script. On Linux, bytes that are not UTF-8 come as `decodeText` gives them. */
export function processArguments(): string[] {
  const args = process.argv.slice(2);
  if (process.platform !== 'linux' || !args.some((arg) => arg.includes(REPLACEMENT))) return args;
  try {
    const all = decodeText(readFileSync('/proc/self/cmdline')).split('\0').slice(0, -1);
    return all.slice(-args.length);
  } catch {
    return args;
  }
}
