// A file system in memory as isomorphic-git takes it, with nothing synchronous: promises, or callbacks. Like LightningFS
// it has folders one level at a time, and knows of no exclusive creation.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Node {
  /** `undefined` for a folder. */
  bytes: Uint8Array | undefined;
  target?: string;
  ino: number;
  mtimeMs: number;
}

export class MemoryFs {
  readonly #nodes = new Map<string, Node>();
  #changes = 0;

  readonly promises = {
    readFile: async (path: string, options?: string | { encoding?: string }) => {
      const { bytes } = this.#node(path);
      if (bytes === undefined) throw failure('EISDIR', path);
      const encoding = typeof options === 'string' ? options : options?.encoding;
      return encoding ? new TextDecoder().decode(bytes) : bytes.slice();
    },
    writeFile: async (path: string, data: Uint8Array | string) => {
      if (this.#nodes.get(path)?.bytes === undefined && this.#nodes.has(path)) {
        throw failure('EISDIR', path);
      }
      this.#add(path, typeof data === 'string' ? new TextEncoder().encode(data) : data.slice());
    },
    mkdir: async (path: string) => {
      if (this.#nodes.has(path)) throw failure('EEXIST', path);
      this.#add(path, undefined);
    },
    rmdir: async (path: string) => {
      if (this.#node(path).bytes !== undefined) throw failure('ENOTDIR', path);
      if (this.#names(path).length > 0) throw failure('ENOTEMPTY', path);
      this.#nodes.delete(path);
    },
    unlink: async (path: string) => {
      if (this.#node(path).bytes === undefined) throw failure('EISDIR', path);
      this.#nodes.delete(path);
    },
    stat: async (path: string) => stats(this.#node(path)),
    lstat: async (path: string) => stats(this.#node(path)),
    readdir: async (path: string) => {
      if (this.#node(path).bytes !== undefined) throw failure('ENOTDIR', path);
      return this.#names(path);
    },
    readlink: async (path: string) => this.#node(path).target ?? '',
    symlink: async (target: string, path: string) => {
      this.#add(path, new Uint8Array(0));
      this.#node(path).target = target;
    },
    rename: async (from: string, to: string) => {
      const { bytes } = this.#node(from);
      this.#nodes.delete(from);
      this.#add(to, bytes);
    },
  };

  constructor() {
    this.#nodes.set('/', { bytes: undefined, ino: 0, mtimeMs: 0 });
  }

  /** The same with callbacks alone. */
  callbacks(): Record<string, unknown> {
    const calls = Object.entries(this.promises) as [
      string,
      (...given: unknown[]) => Promise<unknown>,
    ][];
    return Object.fromEntries(
      calls.map(([name, call]) => [
        name,
        (...given: unknown[]) => {
          const done = given.pop() as (error: unknown, result?: unknown) => void;
          if (done === undefined) throw new TypeError('the callback is missing');
          call(...given).then((result) => done(null, result), done);
        },
      ]),
    );
  }

  /** Writes all that is below `path` into a folder of the machine. */
  copyTo(path: string, folder: string): void {
    for (const [name, { bytes }] of this.#nodes) {
      if (!name.startsWith(`${path}/`)) continue;
      const to = join(folder, name.slice(path.length));
      mkdirSync(bytes === undefined ? to : dirname(to), { recursive: true });
      if (bytes !== undefined) writeFileSync(to, bytes);
    }
  }

  #add(path: string, bytes: Uint8Array | undefined): void {
    if (this.#node(dirname(path)).bytes !== undefined) throw failure('ENOTDIR', path);
    this.#changes++;
    this.#nodes.set(path, {
      bytes,
      ino: this.#changes,
      mtimeMs: 1_600_000_000_000 + this.#changes,
    });
  }

  #node(path: string): Node {
    const node = this.#nodes.get(path.replace(/\/\.$/, ''));
    if (node !== undefined) return node;
    throw failure('ENOENT', path);
  }

  #names(path: string): string[] {
    const prefix = path === '/' ? path : `${path.replace(/\/\.$/, '')}/`;
    return [...this.#nodes.keys()]
      .filter((name) => name !== '/' && name.startsWith(prefix))
      .map((name) => name.slice(prefix.length))
      .filter((name) => !name.includes('/'));
  }
}

function stats({ bytes, target, ino, mtimeMs }: Node) {
  return {
    ...{ ino, mtimeMs, ctimeMs: mtimeMs, uid: 0, gid: 0, dev: 0 },
    mode: bytes === undefined ? 0o40755 : 0o100644,
    size: bytes?.length ?? 0,
    isFile: () => bytes !== undefined && target === undefined,
    isDirectory: () => bytes === undefined,
    isSymbolicLink: () => target !== undefined,
  };
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
