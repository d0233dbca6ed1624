// Faults that are planted to see that they are found: what a store does for durability and mutual exclusion is left
// out, one thing at a time, in the file system that it is given.

import type { FileSystem, WritableFile } from '../../storage/file-system.ts';

export interface Mutation {
  /** What is left out. */
  readonly summary: string;
  /** The file system in which it is. */
  fileSystem(fs: FileSystem): FileSystem;
}

/** The mutations by name. */
export const MUTATIONS: ReadonlyMap<string, Mutation> = new Map(
  Object.entries({
    'table-fsync': {
      summary: 'tables are not synced',
      fileSystem: (fs) => withoutFileSync(fs, (path) => /\/0x[^/]*$/.test(path)),
    },
    'list-fsync': {
      summary: 'the list of tables is not synced',
      fileSystem: (fs) => withoutFileSync(fs, (path) => /\/tables\.list[^/]*$/.test(path)),
    },
    'folder-fsync': {
      summary: 'the folder is not synced',
      fileSystem: (fs) =>
        derived(fs, {
          openDirectory: async (path) => ({
            ...(await fs.openDirectory(path)),
            sync: async () => {},
          }),
        }),
    },
    'second-lock': {
      summary: 'a dead lock is broken without the right to',
      fileSystem: (fs) =>
        derived(fs, {
          link(existing, path) {
            if (!path.endsWith('.break')) fs.link(existing, path);
          },
        }),
    },
  } satisfies Record<string, Mutation>),
);

function withoutFileSync(fs: FileSystem, isMeant: (path: string) => boolean): FileSystem {
  return derived(fs, {
    async create(path, mode) {
      const file = await fs.create(path, mode);
      if (!isMeant(path)) return file;
      return { ...file, sync: async () => {} } satisfies WritableFile;
    },
  });
}

/** The same file system with some calls of its own. */
function derived(fs: FileSystem, calls: Partial<FileSystem>): FileSystem {
  return new Proxy(fs, {
    get(_target, name) {
      const call = Reflect.get(calls, name) ?? Reflect.get(fs, name);
      return typeof call === 'function' ? call.bind(fs) : call;
    },
  });
}
