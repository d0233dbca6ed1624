// A file system that shows its calls before they are made, to count them and to make them fail.

import type { FileSystem, WritableFile } from '../../src/storage/file-system.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';

export interface Call {
  /** The method of `FileSystem`, or `file.` and that of a `WritableFile`; `folder.` and that of an `OpenDirectory`. */
  name: string;
  /** The path, where the method has one. */
  path: string | undefined;
}

export interface WatchedFileSystem extends FileSystem {
  /** The descriptors that are open, those of folders left out. */
  readonly descriptors: ReadonlySet<number>;
}

/** What sees each call first: what it throws is the call's error; an asynchronous call waits for its promise. */
type Watch = (call: Call) => unknown;

/** Node's file system, watched. */
export function watchedFileSystem(watch: Watch): WatchedFileSystem {
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
    async create(path: string, mode?: number) {
      const file = await nodeFileSystem.create(path, mode);
      descriptors.add(file.descriptor);
      const close = async () => {
        await file.close();
        descriptors.delete(file.descriptor);
      };
      return Object.assign(Object.create(file) as WritableFile, { close });
    },
    closeLater(descriptor: number) {
      nodeFileSystem.closeLater(descriptor);
      descriptors.delete(descriptor);
    },
    close(descriptor: number) {
      nodeFileSystem.close(descriptor);
      descriptors.delete(descriptor);
    },
  };
  return watched(counting, '', watch);
}

function watched<T extends object>(target: T, prefix: string, watch: Watch): T {
  return new Proxy(target, {
    get(_target, key) {
      const method = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      const name = `${prefix}${String(key)}`;
      const asynchronous = ASYNCHRONOUS.has(name);
      return (...args: unknown[]) => {
        const path = typeof args[0] === 'string' ? args[0] : undefined;
        let ready: unknown;
        try {
          ready = watch({ name, path });
        } catch (error) {
          // A descriptor is gone even if closing it fails.
          if (name === 'file.close') return method.apply(target).then(() => Promise.reject(error));
          if (name === 'close') method.apply(target, args);
          if (asynchronous) return Promise.reject(error);
          throw error;
        }
        const result =
          ready instanceof Promise
            ? ready.then(() => method.apply(target, args))
            : method.apply(target, args);
        const opened = OPENING[name];
        if (opened === undefined) return result;
        return (result as Promise<object>).then((file) => watched(file, opened, watch));
      };
    },
  });
}

/** The methods that open something, and what its methods' names begin with. */
const OPENING: Readonly<Record<string, string>> = { create: 'file.', openDirectory: 'folder.' };

const ASYNCHRONOUS = new Set([
  'create',
  'setMode',
  'openDirectory',
  'folder.sync',
  'folder.close',
  'file.write',
  'file.sync',
  'file.close',
]);

/** The error that Node throws for a failed system call. */
export function systemError(code: string, { name, path }: Call): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${name}`), { code, syscall: name, path });
}
