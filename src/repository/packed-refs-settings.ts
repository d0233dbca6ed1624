// How packed-refs is read and written: `refs.packedRefsVersion` and `refs.hashPackedRefs`, which no released Git has.

import type { PackedRefsFormat } from '../files/packed-refs/format.ts';
import type { ObjectFormat } from '../format/object-format.ts';
import type { Config } from './config.ts';

/** Throws `INVALID_CONFIG`. */
export function packedRefsFormat(config: Config, objectFormat: ObjectFormat): PackedRefsFormat {
  const version = config.getInteger('refs.packedRefsVersion', { min: 1, max: 2 });
  return {
    objectFormat,
    version: version as PackedRefsFormat['version'],
    isHashed: config.getBoolean('refs.hashPackedRefs'),
  };
}
