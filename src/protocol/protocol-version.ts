// Which version of the protocol a client wants: `version=2` among what stands in `GIT_PROTOCOL`, colons apart.

import type { ProtocolVersion } from './git-upload-pack.ts';

/** The greatest of those that are asked for and known; 0 where none is. */
export function requestedVersion(
  protocol: string | readonly string[] | undefined,
): ProtocolVersion {
  const versions = String(protocol ?? '').split(':');
  if (versions.includes('version=2')) return 2;
  return versions.includes('version=1') ? 1 : 0;
}
