// How packed-refs is read and written: `refs.packedRefsVersion` and `refs.hashPackedRefs`, which no released Git has.

import type { Config } from './config.ts';

/** Throws `INVALID_CONFIG`. */
export function packedRefsSettings(config: Config): {
  packedRefsVersion: 1 | 2 | undefined;
  hashPackedRefs: boolean | undefined;
} {
  const version = config.getInteger('refs.packedRefsVersion', { min: 1, max: 2 });
  return {
    packedRefsVersion: version as 1 | 2 | undefined,
    hashPackedRefs: config.getBoolean('refs.hashPackedRefs'),
  };
}
