// The file systems that isomorphic-git takes, as promises: Node's, with callbacks or `promises`, and those that are
// made like it (memfs, LightningFS).

/** What `stat` has to tell. Times are in milliseconds since the epoch. */
export interface FileStats {
  readonly size: number;
  readonly mode: number;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

type Encoding = string | { encoding?: string | null; flag?: string; mode?: number } | undefined;

/** What isomorphic-git calls, and what it calls where it is there. */
export interface PromiseFs {
  readFile(path: string, options?: Encoding): Promise<Uint8Array | string>;
  writeFile(path: string, data: Uint8Array | string, options?: Encoding): Promise<void>;
  mkdir(path: string, options?: unknown): Promise<unknown>;
  rmdir(path: string, options?: unknown): Promise<void>;
  unlink(path: string): Promise<void>;
  stat(path: string): Promise<FileStats>;
  lstat(path: string): Promise<FileStats>;
  readdir(path: string): Promise<string[]>;
  readlink(path: string, options?: unknown): Promise<unknown>;
  symlink(target: string, path: string): Promise<void>;
  rename?(from: string, to: string): Promise<void>;
  rm?(path: string, options?: unknown): Promise<void>;
  cp?(from: string, to: string, options?: unknown): Promise<void>;
}

const COMMANDS = [
  ...['readFile', 'writeFile', 'mkdir', 'rmdir', 'unlink', 'stat', 'lstat', 'readdir', 'readlink'],
  ...['symlink', 'rename', 'rm', 'cp'],
];

type Command = (...given: unknown[]) => unknown;
type Commands = Record<string, Command>;

/** The same file system with promises. Which kind it is, is told as isomorphic-git tells it. */
export function asPromises(fs: object): PromiseFs {
  const described = Object.getOwnPropertyDescriptor(fs, 'promises');
  const given = (described?.enumerable ? (fs as { promises: object }).promises : fs) as Commands;
  const hasPromises = givesPromises(given);
  const commands: Commands = {};
  for (const name of COMMANDS) {
    const command = given[name]?.bind(given);
    if (command !== undefined) commands[name] = hasPromises ? command : withPromise(command);
  }
  return commands as unknown as PromiseFs;
}

function givesPromises(fs: Commands): boolean {
  try {
    const answer = fs.readFile!() as Promise<unknown> | undefined;
    if (typeof answer?.then !== 'function') return false;
    answer.catch(() => {});
    return true;
  } catch {
    return false;
  }
}

function withPromise(command: Command): Command {
  return (...given) =>
    new Promise((resolve, reject) => {
      command(...given, (error: unknown, result: unknown) =>
        error ? reject(error) : resolve(result),
      );
    });
}
