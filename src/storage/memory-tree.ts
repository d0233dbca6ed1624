// Files and folders in memory: what a path leads to, and which inode numbers are in use.

/** A file; it may have several names, or none while somebody has it open. */
export interface MemoryFile {
  readonly type: 'file';
  /** Unlike any other file's of this tree, ever. */
  readonly id: number;
  readonly inode: bigint;
  bytes: Uint8Array;
  /** Nanoseconds. */
  modified: bigint;
  /** How many names and descriptors it has. */
  uses: number;
}

export interface MemoryFolder {
  readonly type: 'folder';
  readonly inode: bigint;
  readonly entries: Map<string, MemoryFile | MemoryFolder>;
}

export type MemoryNode = MemoryFile | MemoryFolder;

/** Where a name is, or could be. */
export interface Place {
  readonly folder: MemoryFolder;
  readonly name: string;
  readonly node: MemoryNode | undefined;
}

export class MemoryTree {
  readonly root: MemoryFolder;
  /** A number that nobody uses goes to the next new file, as on ext4: the worst for who trusts inodes. */
  readonly #freeInodes: bigint[] = [];
  #lastInode = 1n;
  #lastId = 0;
  #time = 0n;

  constructor() {
    this.root = { type: 'folder', inode: this.#lastInode, entries: new Map() };
  }

  /** Throws `ENOENT`, `ENOTDIR` for what comes before the last name. */
  find(path: string, call: string): Place {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    const name = names.pop();
    let folder = this.root;
    if (name === undefined) return { folder, name: '', node: folder };
    for (const each of names) {
      const next = folder.entries.get(each);
      if (next === undefined) throw systemError('ENOENT', call, path);
      if (next.type === 'file') throw systemError('ENOTDIR', call, path);
      folder = next;
    }
    return { folder, name, node: folder.entries.get(name) };
  }

  /** Throws what `find` throws, and `ENOENT`. */
  get(path: string, call: string): MemoryNode {
    const { node } = this.find(path, call);
    if (node === undefined) throw systemError('ENOENT', call, path);
    return node;
  }

  /** Makes a file without a name. */
  newFile(bytes: Uint8Array = new Uint8Array()): MemoryFile {
    const inode = this.#freeInodes.pop() ?? ++this.#lastInode;
    return { type: 'file', id: ++this.#lastId, inode, bytes, modified: this.now(), uses: 0 };
  }

  /** Makes the folders that lead to `path`, and it, where they are not there yet. */
  makeFolder(path: string): void {
    let folder = this.root;
    for (const name of path.split('/').filter((each) => each !== '')) {
      let next = folder.entries.get(name);
      next ??= { type: 'folder', inode: ++this.#lastInode, entries: new Map() };
      if (next.type === 'file') throw systemError('EEXIST', 'mkdir', path);
      folder.entries.set(name, next);
      folder = next;
    }
  }

  /** Gives `file` a name, in the place of the file that has it. */
  attach({ folder, name, node }: Place, file: MemoryFile): void {
    file.uses++;
    folder.entries.set(name, file);
    if (node?.type === 'file') this.release(node);
  }

  /** Takes a name away from its file. */
  detach({ folder, name, node }: Place): void {
    folder.entries.delete(name);
    if (node?.type === 'file') this.release(node);
  }

  /** Ends one use of a file. */
  release(file: MemoryFile): void {
    if (--file.uses === 0) this.#freeInodes.push(file.inode);
  }

  /** A time later than all before. */
  now(): bigint {
    const clock = BigInt(Date.now()) * 1_000_000n;
    this.#time = clock > this.#time ? clock : this.#time + 1n;
    return this.#time;
  }
}

/** The error that Node throws for a failed system call. */
export function systemError(code: string, syscall: string, path?: string): NodeJS.ErrnoException {
  const what = path === undefined ? syscall : `${syscall} '${path}'`;
  return Object.assign(new Error(`${code}: ${what}`), { code, syscall, path });
}
