// Node's zlib, loaded when it is first needed: a process that reads refs alone starts without it.

import { createRequire } from 'node:module';

type Zlib = typeof import('node:zlib');

let loaded: Zlib | undefined;

export function zlib(): Zlib {
  // Any file will do to require a module of Node's own from.
  loaded ??= createRequire(process.execPath)('node:zlib') as Zlib;
  return loaded;
}
