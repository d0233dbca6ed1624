// The objects of the repository that a command works on.

import { resolve } from 'node:path';
import type { ObjectFormat } from '../format/object-format.ts';
import type { ObjectSource } from '../objects/object-source.ts';
import { RepositoryObjects } from '../objects/repository-objects.ts';
import { nodeFileSystem } from '../storage/node-file-system.ts';

export function openObjects(commonDir: string, objectFormat: ObjectFormat): ObjectSource {
  const { env } = process;
  return new RepositoryObjects({
    fileSystem: nodeFileSystem,
    folder: resolve(env.GIT_OBJECT_DIRECTORY ?? resolve(commonDir, 'objects')),
    objectFormat,
    alternates: env.GIT_ALTERNATE_OBJECT_DIRECTORIES,
  });
}
