// The file-system port of the files backend, which keeps a file for each ref: folders come and go with them, and what
// stands at a path has to be known before it is read.
//
// Paths are text as ref names are: a byte that is no UTF-8 is a lone surrogate (see `format/text.ts`).

export type FileKind = 'file' | 'folder' | 'link' | 'other';

export interface FolderEntry {
  name: string;
  kind: FileKind;
}

/** A file as it was when it was opened, whatever takes its name meanwhile. */
export interface OpenRefFile {
  /** Bytes. */
  readonly size: number;
  /** The bytes from `start` on, up to `end`; fewer where the file ends before. */
  read(start: number, end: number): Buffer;
  close(): void;
}

/** Every method throws what Node would: an error with `code` (`ENOENT`, `EISDIR`, …), `syscall` and `path`. */
export interface RefFileSystem {
  /** What stands there, symbolic links not followed; `undefined` for nothing, or where a file is in the way. */
  kindOf(path: string): FileKind | undefined;
  /** The same of what a symbolic link leads to in the end. */
  kindBehind(path: string): FileKind | undefined;
  /** Bytes; `undefined` where there is no file. */
  sizeOf(path: string): number | undefined;
  /** Opens a file for reading, symbolic links followed. Waits for nobody, not even on a named pipe. */
  open(path: string): OpenRefFile;
  /** Where a symbolic link leads. */
  readLink(path: string): string;
  /** What is in a folder, in no order; `undefined` if there is no such folder. */
  list(folder: string): FolderEntry[] | undefined;
  /** Creates an empty file that must not exist (`EEXIST`). */
  create(path: string, mode?: number): void;
  /** Makes the file hold this and nothing else. With `sync`, what was written survives a power loss. */
  write(path: string, bytes: Uint8Array, sync: boolean): Promise<void>;
  /** Writes behind what the file holds, at once; makes it if `creates`, else a missing one is `ENOENT`. */
  append(path: string, bytes: Uint8Array, creates: boolean): void;
  /** Sets permission bits exactly, whatever the umask. */
  setMode(path: string, mode: number): void;
  /** Replaces `to`, atomically. */
  rename(from: string, to: string): void;
  unlink(path: string): void;
  makeFolder(path: string): void;
  /** Removes a folder, which must be empty. */
  removeFolder(path: string): void;
  /** Makes what a file holds, or which files a folder has, survive a power loss, where the system can. */
  sync(path: string): Promise<void>;
}
