// Which refs are kept from others: `transfer.hideRefs` and `uploadpack.hideRefs`.
//
// A rule is the name of a ref or of a folder of refs. `!` in front makes it one of what is shown all the same; `^`
// behind that means the full name rather than the one within the namespace. The last rule that fits counts.

import { encodeText } from '../format/text.ts';

interface Rule {
  name: Uint8Array;
  hides: boolean;
  isFullName: boolean;
}

const SLASH = 0x2f;

export class HiddenRefs {
  /** The one that counts most comes first. */
  readonly #rules: readonly Rule[];

  /** `rules` as the settings have them, in their order. */
  constructor(rules: readonly string[]) {
    this.#rules = rules.map(parseRule).reverse();
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** Whether the ref `keys[start, end)`, which is called `keys[shownStart, end)` in its namespace, is hidden. */
  hides(keys: Uint8Array, start: number, shownStart: number, end: number): boolean {
    for (const { name, hides, isFullName } of this.#rules) {
      if (isBelow(keys, isFullName ? start : shownStart, end, name)) return hides;
    }
    return false;
  }
}

function parseRule(text: string): Rule {
  const [, negation, caret, name = ''] = /^(!?)(\^?)(.*?)\/*$/s.exec(text)!;
  return { name: encodeText(name), hides: negation === '', isFullName: caret === '^' };
}

/** Whether `keys[start, end)` is `name` or below it. */
function isBelow(keys: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  const at = start + name.length;
  if (at > end || (at < end && keys[at] !== SLASH)) return false;
  let i = 0;
  while (i < name.length && keys[start + i] === name[i]) i++;
  return i === name.length;
}
