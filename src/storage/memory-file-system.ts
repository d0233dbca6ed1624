// A file system in memory. It keeps a journal of all that changes it, in order and with the data, from which
// `crash-states.ts` tells what the disk may hold after a crash between any two of these changes.

import type { FileStatus, FileSystem, OpenDirectory, WritableFile } from './file-system.ts';
import {
  type MemoryFile,
  type MemoryNode,
  MemoryTree,
  type Place,
  systemError,
} from './memory-tree.ts';

/** What one call changed, or made durable; `file` tells files apart, whatever they are called. */
export type Change =
  | { type: 'create' | 'link' | 'unlink'; path: string; file: number }
  /** `path` is the name under which the file was opened. */
  | { type: 'write'; path: string; file: number; bytes: Uint8Array }
  | { type: 'sync'; path: string; file: number }
  | { type: 'rename'; path: string; to: string; file: number }
  | { type: 'sync folder'; path: string };

/** A file as it is now. */
export interface StoredFile {
  readonly id: number;
  readonly bytes: Uint8Array;
}

interface Descriptor {
  readonly path: string;
  readonly node: MemoryNode;
  /** A file is written by who created it, and read by who opened it. */
  readonly access: 'read' | 'write';
}

interface Watcher {
  readonly directory: string;
  readonly changed: (name: string | undefined) => void;
}

/** A system without permissions: modes are accepted and forgotten. */
export class MemoryFileSystem implements FileSystem {
  /** All changes so far, the oldest first. */
  readonly journal: Change[] = [];
  readonly #tree = new MemoryTree();
  readonly #descriptors: (Descriptor | undefined)[] = [];
  readonly #freeDescriptors: number[] = [];
  readonly #watchers = new Set<Watcher>();

  /** `files` are there from the beginning, by their absolute paths, and durable. */
  constructor(files: ReadonlyMap<string, Uint8Array> = new Map()) {
    for (const [path, bytes] of files) {
      this.makeFolder(parentOf(path));
      this.#tree.attach(this.#tree.find(path, 'open'), this.#tree.newFile(bytes));
    }
  }

  /** Makes a folder, and those above it, durably; one that is there is fine. */
  makeFolder(path: string): void {
    this.#tree.makeFolder(path);
  }

  /** All files by their paths; one with two names is there twice. */
  files(): Map<string, StoredFile> {
    const files = new Map<string, StoredFile>();
    const visit = (path: string, node: MemoryNode) => {
      if (node.type === 'file') files.set(path, { id: node.id, bytes: node.bytes });
      else for (const [name, entry] of node.entries) visit(`${path}/${name}`, entry);
    };
    visit('', this.#tree.root);
    return files;
  }

  open(path: string): number {
    return this.#openNode(path, this.#tree.get(path, 'open'), 'read');
  }

  read(descriptor: number, into: Uint8Array, position: number): number {
    const { node, access } = this.#opened(descriptor, 'read');
    if (access === 'write') throw systemError('EBADF', 'read');
    if (node.type === 'folder') throw systemError('EISDIR', 'read');
    const bytes = node.bytes.subarray(position, position + into.length);
    into.set(bytes);
    return bytes.length;
  }

  close(descriptor: number): void {
    const { node } = this.#opened(descriptor, 'close');
    this.#descriptors[descriptor] = undefined;
    this.#freeDescriptors.push(descriptor);
    if (node.type === 'file') this.#tree.release(node);
  }

  closeLater(descriptor: number): void {
    this.close(descriptor);
  }

  stat(path: string): FileStatus | undefined {
    try {
      const { node } = this.#tree.find(path, 'stat');
      return node && statusOf(node);
    } catch {
      return undefined;
    }
  }

  statOpen(descriptor: number): FileStatus {
    return statusOf(this.#opened(descriptor, 'fstat').node);
  }

  /** There are none. */
  readLink(): undefined {}

  list(directory: string): string[] {
    const node = this.#tree.get(directory, 'scandir');
    if (node.type === 'file') throw systemError('ENOTDIR', 'scandir', directory);
    return [...node.entries.keys()];
  }

  async create(path: string): Promise<WritableFile> {
    const descriptor = this.createEmpty(path);
    return {
      descriptor,
      write: async (chunks) => this.append(descriptor, Buffer.concat(chunks)),
      sync: async () => this.#sync(descriptor),
      close: async () => this.close(descriptor),
    };
  }

  createEmpty(path: string): number {
    const place = this.#freePlace(path, 'open', path);
    const file = this.#tree.newFile();
    this.#tree.attach(place, file);
    this.#record({ type: 'create', path, file: file.id });
    return this.#openNode(path, file, 'write');
  }

  append(descriptor: number, bytes: Uint8Array): void {
    const { node, path } = this.#written(descriptor, 'write');
    if (bytes.length === 0) return;
    node.bytes = Buffer.concat([node.bytes, bytes]);
    node.modified = this.#tree.now();
    this.#record({ type: 'write', path, file: node.id, bytes: Uint8Array.from(bytes) });
  }

  link(existing: string, path: string): void {
    const node = this.#tree.get(existing, 'link');
    const place = this.#freePlace(path, 'link', existing);
    if (node.type === 'folder') throw systemError('EPERM', 'link', existing);
    this.#tree.attach(place, node);
    this.#record({ type: 'link', path, file: node.id });
  }

  async setMode(path: string): Promise<void> {
    this.#tree.get(path, 'chmod');
  }

  rename(from: string, to: string): void {
    const source = this.#tree.find(from, 'rename');
    const target = this.#tree.find(to, 'rename');
    const file = source.node;
    if (file === undefined) throw systemError('ENOENT', 'rename', from);
    if (file.type === 'folder') throw systemError('EPERM', 'rename', from);
    if (target.node?.type === 'folder') throw systemError('EISDIR', 'rename', from);
    // Two names of one file: POSIX leaves both.
    if (target.node === file) return;
    this.#tree.attach(target, file);
    this.#tree.detach(source);
    this.#record({ type: 'rename', path: from, to, file: file.id });
  }

  unlink(path: string): void {
    const place = this.#tree.find(path, 'unlink');
    const { node } = place;
    if (node === undefined) throw systemError('ENOENT', 'unlink', path);
    if (node.type === 'folder') throw systemError('EISDIR', 'unlink', path);
    this.#tree.detach(place);
    this.#record({ type: 'unlink', path, file: node.id });
  }

  async openDirectory(path: string): Promise<OpenDirectory> {
    const descriptor = this.open(path);
    return {
      sync: async () => this.#record({ type: 'sync folder', path }),
      close: async () => this.close(descriptor),
    };
  }

  watch(
    directory: string,
    _persistent: boolean,
    changed: (name: string | undefined) => void,
  ): () => void {
    const watcher = { directory, changed };
    this.list(directory);
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #openNode(path: string, node: MemoryNode, access: Descriptor['access']): number {
    const descriptor = this.#freeDescriptors.pop() ?? this.#descriptors.length;
    this.#descriptors[descriptor] = { path, node, access };
    if (node.type === 'file') node.uses++;
    return descriptor;
  }

  #opened(descriptor: number, call: string): Descriptor {
    const opened = this.#descriptors[descriptor];
    if (opened === undefined) throw systemError('EBADF', call);
    return opened;
  }

  #written(descriptor: number, call: string): { path: string; node: MemoryFile } {
    const { path, node, access } = this.#opened(descriptor, call);
    if (access === 'read' || node.type === 'folder') throw systemError('EBADF', call);
    return { path, node };
  }

  /** Where `path` is to be made; `named` is the path that an error names. */
  #freePlace(path: string, call: string, named: string): Place {
    const place = this.#tree.find(path, call);
    if (place.node !== undefined) throw systemError('EEXIST', call, named);
    return place;
  }

  #sync(descriptor: number): void {
    const { path, node } = this.#written(descriptor, 'fsync');
    this.#record({ type: 'sync', path, file: node.id });
  }

  #record(change: Change): void {
    this.journal.push(change);
    if (this.#watchers.size === 0) return;
    if (change.type === 'write' || change.type.startsWith('sync')) return;
    for (const path of change.type === 'rename' ? [change.path, change.to] : [change.path]) {
      for (const watcher of this.#watchers) {
        if (watcher.directory !== parentOf(path)) continue;
        // Later, as every system tells.
        setImmediate(() => {
          if (this.#watchers.has(watcher)) watcher.changed(path.slice(path.lastIndexOf('/') + 1));
        });
      }
    }
  }
}

function statusOf(node: MemoryNode): FileStatus {
  const { inode } = node;
  if (node.type === 'folder') return { device: 1n, inode, size: 0, modified: 0n };
  return { device: 1n, inode, size: node.bytes.length, modified: node.modified };
}

/** The folder that a path is in. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
