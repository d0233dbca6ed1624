// A file system that shows its calls before they are made, to count them and to make them fail.

import type { FileSystem, WritableFile } from '../../src/storage/file-system.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';

export interface Call {
  /** The method of `FileSystem`, or `file.` and that of a `WritableFile`. */
  name: string;
  /** The path, where the method has one. */
  path: string | undefined;
}

export interface WatchedFileSystem extends FileSystem {
  /** The descriptors that are open for reading, and those of locks. */
  readonly descriptors: ReadonlySet<number>;
}

/** Node's file system; `watch` sees each call first, and what it throws is the call's error. */
export function watchedFileSystem(watch: (call: Call) => void): WatchedFileSystem {
  const descriptors = new Set<number>();
  const counting = {
    ...nodeFileSystem,
    descriptors,
    open(path: string) {
      const descriptor = nodeFileSystem.open(path);
      descriptors.add(descriptor);
      return descriptor;
    },
    createEmpty(path: string, mode?: number) {
      const descriptor = nodeFileSystem.createEmpty(path, mode);
      descriptors.add(descriptor);
      return descriptor;
    },
    close(descriptor: number) {
      nodeFileSystem.close(descriptor);
      descriptors.delete(descriptor);
    },
  };
  return watched(counting, '', watch);
}

function watched<T extends object>(target: T, prefix: string, watch: (call: Call) => void): T {
  return new Proxy(target, {
    get(_target, key) {
      const method = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      const name = `${prefix}${String(key)}`;
      const asynchronous = ASYNCHRONOUS.has(name);
      return (...args: unknown[]) => {
        const path = typeof args[0] === 'string' ? args[0] : undefined;
        try {
          watch({ name, path });
        } catch (error) {
          if (asynchronous) return Promise.reject(error);
          throw error;
        }
        const result = method.apply(target, args);
        if (name !== 'create') return result;
        return (result as Promise<WritableFile>).then((file) => watched(file, 'file.', watch));
      };
    },
  });
}

const ASYNCHRONOUS = new Set([
  'create',
  'setMode',
  'syncDirectory',
  'file.write',
  'file.sync',
  'file.close',
]);

/** The error that Node throws for a failed system call. */
export function systemError(code: string, { name, path }: Call): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${name}`), { code, syscall: name, path });
}
