// Node's hash functions, loaded when they are first needed: few processes hash anything.

import { createRequire } from 'node:module';

type Crypto = typeof import('node:crypto');

let loaded: Crypto | undefined;

/** A hash that is fed piece by piece. */
export function createHash(algorithm: 'sha1' | 'sha256'): import('node:crypto').Hash {
  // Any file will do to require a module of Node's own from.
  loaded ??= createRequire(process.execPath)('node:crypto') as Crypto;
  return loaded.createHash(algorithm);
}
