// How a field shows a ref's name: whole, `short`, or with components taken off (`lstrip=2`, `rstrip=-1`).

import { die } from '../failure.ts';

/** Shows a name, both byte text. */
export type NamePresentation = (name: string) => string;

/**
 * Reads what stands behind a field's colon, and dies in Git's words if it is nothing known; `field` is the
 * field's name for that. `shorten` gives the short form of a name.
 */
export function namePresentation(
  field: string,
  argument: string | undefined,
  shorten: NamePresentation,
): NamePresentation {
  if (argument === undefined) return (name) => name;
  if (argument === 'short') return shorten;
  const [, side, count] = /^(l|r)?strip=(.*)$/s.exec(argument) ?? [];
  if (count === undefined) die(`unrecognized %(${field}) argument: ${argument}`);
  const strip = parseCount(count);
  if (strip === undefined) {
    die(`Integer value expected refname:${side === 'r' ? 'rstrip' : 'lstrip'}=${count}`);
  }
  return side === 'r' ? (name) => withoutLast(name, strip) : (name) => withoutFirst(name, strip);
}

function parseCount(text: string): number | undefined {
  if (!/^[ \t\n\v\f\r]*[+-]?\d+$/.test(text)) return undefined;
  const count = Number(text);
  return Math.abs(count) < 2 ** 31 ? count : undefined;
}

/** How many components to take off: a negative count is how many to leave. */
function toStrip(name: string, count: number): number {
  if (count >= 0) return count;
  let components = 1;
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) components++;
  return components + count;
}

function withoutFirst(name: string, count: number): string {
  let start = 0;
  for (let left = toStrip(name, count); left > 0; left--) {
    const slash = name.indexOf('/', start);
    if (slash === -1) return '';
    start = slash + 1;
  }
  return name.slice(start);
}

function withoutLast(name: string, count: number): string {
  let end = name.length;
  for (let left = toStrip(name, count); left > 0; left--) {
    const slash = end === 0 ? -1 : name.lastIndexOf('/', end - 1);
    if (slash === -1) return '';
    end = slash;
  }
  return name.slice(0, end);
}
