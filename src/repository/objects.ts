// Where a repository's objects are, as its environment has it.

import { resolve } from 'node:path';
import type { ObjectFormat } from '../format/object-format.ts';
import { RepositoryObjects } from '../objects/repository-objects.ts';
import { nodeFileSystem } from '../storage/node-file-system.ts';

/** The objects of the repository whose shared folder is `commonDir`. */
export function repositoryObjects(
  commonDir: string,
  objectFormat: ObjectFormat,
  env: Record<string, string | undefined>,
): RepositoryObjects {
  const folder = resolve(env.GIT_OBJECT_DIRECTORY ?? `${commonDir}/objects`);
  const alternates = env.GIT_ALTERNATE_OBJECT_DIRECTORIES;
  return new RepositoryObjects({ fileSystem: nodeFileSystem, folder, objectFormat, alternates });
}
