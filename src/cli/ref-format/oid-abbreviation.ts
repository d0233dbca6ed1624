// How far an object id may be shortened: as few digits as tell it from the other objects of the repository.

import { parseConfigBoolean } from '../../config-value.ts';
import type { RepositoryObjects } from '../../objects/repository-objects.ts';
import type { Config } from '../../repository/config.ts';
import { die } from '../failure.ts';

const MINIMUM = 4;
/** Where nothing asks for more digits. */
const FALLBACK = 7;

export class OidAbbreviation {
  readonly #objects: RepositoryObjects;
  readonly #config: Config;
  #default: number | undefined;

  constructor(objects: RepositoryObjects, config: Config) {
    this.#objects = objects;
    this.#config = config;
  }

  /** The first `digits` digits, or as many as is usual, and as many more as are needed. */
  of(oid: string, digits: number | undefined): string {
    this.#default ??= this.#defaultDigits();
    let length = Math.max(digits ?? this.#default, MINIMUM);
    for (const other of this.#objects.idsWithPrefix(oid.slice(0, length))) {
      if (other !== oid) length = Math.max(length, sharedDigits(oid, other) + 1);
    }
    return oid.slice(0, length);
  }

  /** `core.abbrev`, or what suits the number of packed objects, as in Git. */
  #defaultDigits(): number {
    const text = this.#config.get('core.abbrev');
    if (text !== undefined && text.toLowerCase() !== 'auto') {
      if (!/^[+-]?\d/.test(text) && parseConfigBoolean(text) === false) return Infinity;
      const digits = this.#config.getInteger('core.abbrev')!;
      if (digits < MINIMUM) die(`abbrev length out of range: ${digits}`);
      return digits;
    }
    const count = this.#objects.packedCount();
    const bits = Math.floor(Math.log2(Math.max(count, 1))) + 1;
    return Math.max(FALLBACK, Math.ceil(bits / 2));
  }
}

function sharedDigits(a: string, b: string): number {
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared++;
  return shared;
}
