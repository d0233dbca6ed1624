// The file-system port: every system call that a store makes goes through here, so that a store can run
// on Node's files, or on an in-memory file system that records its calls and can crash between any two.
//
// Reads are synchronous (tables never change once named, so a read is a page-cache hit, cheaper than a
// trip through a thread pool); what waits for a disk is asynchronous. `rename`, `unlink` and what makes a
// lock file are synchronous on purpose: the rename that publishes a list must not be under way in a thread
// while an exit handler gives the lock away, nor a lock be created that no exit handler knows of.

/** What tells one version of a file from another, and how long it is. */
export interface FileStatus {
  device: bigint;
  inode: bigint;
  /** Bytes. */
  size: number;
  /** Last modification, nanoseconds since the epoch. */
  modified: bigint;
}

/** A file that was created and is being written. */
export interface WritableFile {
  readonly descriptor: number;
  /** Appends the chunks in their order, all of them, in as few system calls as it can. */
  write(chunks: readonly Uint8Array[]): Promise<void>;
  /** Makes what was written survive a power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A folder in which files are renamed and removed. */
export interface OpenDirectory {
  /** Makes these changes survive a power loss. Does nothing where folders cannot be synced. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What reads of a file system. Every method throws what Node would: an error with `code` (`ENOENT`, `EEXIST`,
 * `ENOSPC`, …), `syscall` and `path`.
 */
export interface FileReading {
  /** Opens a file for reading and returns its descriptor. Waits for nobody, not even on a named pipe. */
  open(path: string): number;
  /** Reads up to `into.length` bytes at `position` (bytes from the start); returns how many there were. */
  read(descriptor: number, into: Uint8Array, position: number): number;
  close(descriptor: number): void;
  /** The same, without waiting: a file that nobody names any more is freed when it is closed, which takes time. */
  closeLater(descriptor: number): void;
  /** `undefined` if there is no such file. */
  stat(path: string): FileStatus | undefined;
  statOpen(descriptor: number): FileStatus;
  /** The names in a folder, in no order. */
  list(directory: string): string[];
}

/** A file system. Its other methods throw likewise. */
export interface FileSystem extends FileReading {
  /** Creates a file that must not exist (`EEXIST`), with permission bits `mode` less the umask. */
  create(path: string, mode?: number): Promise<WritableFile>;
  /** The same for an empty file, at once; returns its descriptor. */
  createEmpty(path: string, mode?: number): number;
  /** Appends a few bytes to such a file, at once. */
  append(descriptor: number, bytes: Uint8Array): void;
  /** Gives a file a second name that must not exist (`EEXIST`). Not every file system can. */
  link(existing: string, path: string): void;
  /** Where a symbolic link leads; `undefined` if there is none. */
  readLink(path: string): string | undefined;
  /** Sets permission bits exactly, whatever the umask. */
  setMode(path: string, mode: number): Promise<void>;
  /** Replaces `to`, atomically. */
  rename(from: string, to: string): void;
  unlink(path: string): void;
  /** Opens a folder. */
  openDirectory(path: string): Promise<OpenDirectory>;

  /**
   * Calls `changed` when a file in a folder is created, renamed or removed, and perhaps when not; gives the function
   * that ends it. Not every file system tells, and none tells of all. `persistent`: whether the process lives on for it.
   */
  watch(
    directory: string,
    persistent: boolean,
    changed: (name: string | undefined) => void,
  ): () => void;
}
