// Ref names: the rules of `git check-ref-format`, and the names that may stand outside `refs/`.
//
// Names are JavaScript strings that stand for UTF-8 bytes. A byte that is no part of valid UTF-8 is
// carried as a lone surrogate, U+DC80..U+DCFF for 0x80..0xFF; any other lone surrogate has no bytes.
// All of Git's rules are about ASCII bytes.

import { decodeText, encodeText } from '../format/text.ts';

export interface CheckRefNameOptions {
  /** Accept a name without a slash, such as `HEAD`. Off by default, as in Git. */
  allowOneLevel?: boolean;
}

const NO_OPTIONS: CheckRefNameOptions = {};

const SLASH = 0x2f;
const DOT = 0x2e;
const AT = 0x40;
const LETTER_A = 0x41;
const LETTER_Z = 0x5a;
const LETTER_K = 0x6b;
const DASH = 0x2d;
const UNDERSCORE = 0x5f;

/** What a byte is in a ref name: 0 may stand anywhere, 1 depends on its place, 2 nowhere. */
const IN_REF_NAME = new Uint8Array(0x100);
IN_REF_NAME.fill(2, 0, 0x21);
IN_REF_NAME[0x7f] = 2;
for (const character of '*:?[\\^~') IN_REF_NAME[character.charCodeAt(0)] = 2;
for (const character of './{') IN_REF_NAME[character.charCodeAt(0)] = 1;

const LOCK_SUFFIX = "has a component that ends with '.lock'";
const REFS_LENGTH = 'refs/'.length;
/** `.loc`; the `k` was seen already. */
const LOCK_BYTES = [0x2e, 0x6c, 0x6f, 0x63] as const;

/**
 * Checks a name as `git check-ref-format` does: `undefined` when Git accepts it, else the rule that
 * it breaks, in words that continue the name ("contains '..'").
 *
 * Beyond Git's rules it refuses a string that stands for no bytes (a lone surrogate), or that spells
 * valid UTF-8 in escaped bytes and so would be a second name for the same bytes.
 */
export function checkRefName(
  name: string,
  options: CheckRefNameOptions = NO_OPTIONS,
): string | undefined {
  const bytes = encodeText(name);
  // Bytes and UTF-16 units are as many only where all of them are ASCII.
  if (bytes.length !== name.length || !isAsciiText(name)) {
    if (!/^(?:[^\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff]|[\udc80-\udcff])*$/.test(name)) {
      return 'contains a lone surrogate';
    }
    if (decodeText(bytes) !== name) return 'spells valid UTF-8 in escaped bytes';
  }
  return checkRefNameBytes(bytes, 0, bytes.length, options.allowOneLevel === true);
}

/** The same for the name `bytes[start, end)`. */
// One pass without allocation: a transaction checks 50,000 names.
function checkRefNameBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  allowOneLevel: boolean,
): string | undefined {
  let componentStart = start;
  let last = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    const place = IN_REF_NAME[byte];
    if (place !== 0) {
      if (place === 2) return unacceptableCharacter(byte);
      if (byte === SLASH) {
        if (i === componentStart) return 'has an empty component';
        if (last === LETTER_K && endsWithLock(bytes, start, i)) return LOCK_SUFFIX;
        componentStart = i + 1;
      } else if (byte === DOT) {
        if (i === componentStart) return "has a component that begins with '.'";
        if (last === DOT) return "contains '..'";
      } else if (last === AT) {
        return "contains '@{'";
      }
    }
    last = byte;
  }
  if (start === end) return 'is empty';
  if (componentStart === end) return "ends with '/'";
  if (last === DOT) return "ends with '.'";
  if (last === LETTER_K && endsWithLock(bytes, start, end)) return LOCK_SUFFIX;
  if (end - start === 1 && last === AT) return "is '@'";
  if (componentStart === start && !allowOneLevel) return 'has only one component';
  return undefined;
}

/**
 * Where the ref name ends that starts at `start`: before the first byte, up to `limit`, that no name may
 * hold. -1 unless it is one below `refs/` that `check-ref-format` accepts, as nearly all are.
 */
export function plainRefNameEnd(bytes: Uint8Array, start: number, limit: number): number {
  if (!startsWithRefs(bytes, start)) return -1;
  let last = SLASH;
  let hasDots = false;
  let end = start + REFS_LENGTH;
  for (; end < limit; end++) {
    const byte = bytes[end]!;
    const place = IN_REF_NAME[byte];
    if (place !== 0) {
      if (place === 2) break;
      if (byte !== SLASH) hasDots = true;
      else if (last === SLASH) return -1;
    }
    last = byte;
  }
  if (last === SLASH) return -1;
  // Only where there are dots and the like does it take the whole check to tell.
  return hasDots && checkRefNameBytes(bytes, start, end, false) !== undefined ? -1 : end;
}

/**
 * Whether the name `bytes[start, end)` is one below `refs/` whose bytes may stand anywhere, all but single slashes:
 * `check-ref-format` accepts such a name. Its first `known` bytes are those of a name that was found to be so.
 */
export function isSimpleRefName(
  bytes: Uint8Array,
  start: number,
  end: number,
  known: number,
): boolean {
  let i = start + known;
  if (known < REFS_LENGTH) {
    if (!startsWithRefs(bytes, start)) return false;
    i = start + REFS_LENGTH;
  }
  let last = bytes[i - 1]!;
  for (; i < end; i++) {
    const byte = bytes[i]!;
    if (IN_REF_NAME[byte] !== 0 && (byte !== SLASH || last === SLASH)) return false;
    last = byte;
  }
  return last !== SLASH;
}

function startsWithRefs(bytes: Uint8Array, start: number): boolean {
  return (
    bytes[start] === 0x72 && // r
    bytes[start + 1] === 0x65 && // e
    bytes[start + 2] === 0x66 && // f
    bytes[start + 3] === 0x73 && // s
    bytes[start + 4] === SLASH
  );
}

function endsWithLock(bytes: Uint8Array, start: number, end: number): boolean {
  const at = end - LOCK_BYTES.length - 1;
  return at >= start && LOCK_BYTES.every((byte, i) => bytes[at + i] === byte);
}

function isAsciiText(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function unacceptableCharacter(unit: number): string {
  if (unit === 0x20) return 'contains a space';
  if (unit < 0x20 || unit === 0x7f) return 'contains a control character';
  return `contains '${String.fromCharCode(unit)}'`;
}

/**
 * Whether a ref of this name may be deleted or verified although `checkRefName` refuses it: below
 * `refs/` and not leading out of it, or all in capitals and underscores. Git's `refname_is_safe`.
 */
export function isSafeRefName(name: string): boolean {
  if (!name.startsWith('refs/')) return name.length > 0 && isInCapitals(name, false);
  let componentStart = 'refs/'.length;
  for (let i = componentStart; i <= name.length; i++) {
    if (i < name.length && name.charCodeAt(i) !== SLASH) continue;
    const length = i - componentStart;
    if (length === 0) return false;
    if (name.charCodeAt(componentStart) === DOT) {
      if (length === 1) return false;
      if (length === 2 && name.charCodeAt(componentStart + 1) === DOT) return false;
    }
    componentStart = i + 1;
  }
  return true;
}

/**
 * Whether the name is one of Git's two pseudorefs, `FETCH_HEAD` and `MERGE_HEAD`: always plain files
 * with a content of their own, never in a ref store.
 */
export function isPseudoref(name: string): boolean {
  return name === 'FETCH_HEAD' || name === 'MERGE_HEAD';
}

/**
 * Whether the name is a root ref, a ref that lives beside `refs/`: `HEAD`, `*_HEAD` and a few with
 * irregular names, in capitals, and no pseudoref. Git's `is_root_ref`.
 */
export function isRootRef(name: string): boolean {
  switch (name) {
    case 'HEAD':
    case 'AUTO_MERGE':
    case 'BISECT_EXPECTED_REV':
    case 'MERGE_AUTOSTASH':
    case 'NOTES_MERGE_PARTIAL':
    case 'NOTES_MERGE_REF':
      return true;
    default:
      return name.endsWith('_HEAD') && isInCapitals(name, true) && !isPseudoref(name);
  }
}

function isInCapitals(name: string, allowDash: boolean): boolean {
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit >= LETTER_A && unit <= LETTER_Z) continue;
    if (unit === UNDERSCORE || (allowDash && unit === DASH)) continue;
    return false;
  }
  return true;
}
