// The formats of `for-each-ref`: text with `%(field)` for what is known of a ref, `%%` for a percent
// sign and `%xx` for the byte of two hex digits.

import { decodeText, encodeText } from '../format/text.ts';
import { die, UsageError } from './failure.ts';

/** A ref as it is listed. */
export interface ListedRef {
  name: string;
  /** What the ref, or the one at the end of its symrefs, points at; hex. */
  oid: string;
  /** What that comes down to where it is an annotated tag; hex. */
  peeled: string | undefined;
  /** The name at the end of the symrefs. */
  symref: string | undefined;
}

type Part = string | ((ref: ListedRef) => string);

/** Fields that Git has and that only the objects, the work tree or the configuration tell. */
const FIELDS_ELSEWHERE = new Set(
  (
    'ahead-behind align authordate author authoremail authorname body color committer ' +
    'committerdate committeremail committername contents creator creatordate deltabase describe ' +
    'else end flag HEAD if is-base numparent object objectsize objecttype parent push raw rest ' +
    'signature subject tag tagger taggerdate taggeremail taggername then trailers tree type ' +
    'upstream worktreepath'
  ).split(' '),
);

/**
 * Turns a format into a function that gives a ref's line, without the line feed. `shorten` gives the
 * short form of a name. Throws, in Git's words, for what is no format.
 */
export function compileFormat(
  format: string,
  shorten: (name: string) => string,
): (ref: ListedRef) => string {
  const parts: Part[] = [];
  let literal = '';
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf('%', at);
    if (percent === -1) break;
    literal += format.slice(at, percent);
    at = percent;
    if (format[at + 1] === '(') {
      const end = format.indexOf(')', at);
      if (end === -1) throw new UsageError(`malformed format string ${format.slice(at)}`);
      if (literal !== '') parts.push(normalize(literal));
      parts.push(field(format.slice(at + 2, end), shorten));
      literal = '';
      at = end + 1;
    } else if (/^%[0-9a-f]{2}/i.test(format.slice(at, at + 3))) {
      literal += byteText(Number.parseInt(format.slice(at + 1, at + 3), 16));
      at += 3;
    } else {
      literal += '%';
      at += format[at + 1] === '%' ? 2 : 1;
    }
  }
  literal += format.slice(at);
  if (literal !== '') parts.push(normalize(literal));
  return (ref) => {
    let line = '';
    for (const part of parts) line += typeof part === 'string' ? part : part(ref);
    return line;
  };
}

/** A byte as text: one that is no ASCII is carried as `decodeText` carries it. */
function byteText(byte: number): string {
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);
}

/** Bytes that were given one by one may make up characters. */
function normalize(text: string): string {
  return decodeText(encodeText(text));
}

function field(text: string, shorten: (name: string) => string): (ref: ListedRef) => string {
  const colon = text.indexOf(':');
  const name = colon === -1 ? text : text.slice(0, colon);
  const argument = colon === -1 ? undefined : text.slice(colon + 1);
  switch (name) {
    case 'refname': {
      const present = namePresentation(name, argument, shorten);
      return (ref) => present(ref.name);
    }
    case 'symref': {
      const present = namePresentation(name, argument, shorten);
      return (ref) => (ref.symref === undefined ? '' : present(ref.symref));
    }
    case 'objectname':
      refuseArgument(name, argument);
      return (ref) => ref.oid;
    case '*objectname':
      refuseArgument(name, argument);
      return (ref) => ref.peeled ?? '';
  }
  if (FIELDS_ELSEWHERE.has(name.replace(/^\*/, ''))) {
    die(`%(${name}) is not supported: it is not among what a ref store holds`);
  }
  die(`unknown field name: ${name}`);
}

function refuseArgument(name: string, argument: string | undefined): void {
  if (argument === undefined) return;
  if (/^short(?:=|$)/.test(argument)) {
    die(`%(${name}:${argument}) is not supported: the objects tell how short it may be`);
  }
  die(`unrecognized %(${name}) argument: ${argument}`);
}

/** How a name is shown: whole, `short`, or with components taken off (`lstrip=2`, `rstrip=-1`). */
function namePresentation(
  name: string,
  argument: string | undefined,
  shorten: (name: string) => string,
): (name: string) => string {
  if (argument === undefined || argument === '') return (full) => full;
  if (argument === 'short') return shorten;
  const [, side, count] = /^(l|r)?strip=(.*)$/.exec(argument) ?? [];
  if (count === undefined) die(`unrecognized %(${name}) argument: ${argument}`);
  if (!/^[+-]?\d+$/.test(count)) {
    die(`Integer value expected ${argument.slice(0, argument.indexOf('=') + 1)}${count}`);
  }
  return (full) => {
    const components = full.split('/');
    // A negative count is how many to leave.
    const strip = Number(count) >= 0 ? Number(count) : components.length + Number(count);
    if (strip <= 0) return full;
    const rest = side === 'r' ? components.slice(0, -strip) : components.slice(strip);
    return rest.join('/');
  };
}
