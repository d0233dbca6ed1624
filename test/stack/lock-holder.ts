// Other processes that hold a stack's lock: one of ours, and a real Git.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * What the child does: takes the lock and says `held`, or says why not; then obeys the lines on its standard
 * input. With `thread` it does so in a thread of its own, which `terminate` ends.
 */
const SCRIPT = `
  import { createInterface } from 'node:readline';
  import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
  import { StackLock } from './src/stack/lock/stack-lock.ts';
  import { nodeFileSystem } from './src/storage/node-file-system.ts';

  const [target, timeout, where] = workerData ?? process.argv.slice(2);

  async function hold(say) {
    try {
      const lock = await StackLock.acquire(nodeFileSystem, target, { timeout: Number(timeout) });
      say('held');
      return lock;
    } catch (error) {
      say(error.code + ': ' + error.message);
      process.exit();
    }
  }

  if (!isMainThread) {
    await hold((line) => parentPort.postMessage(line));
    parentPort.on('message', () => {});
  } else if (where === 'thread') {
    const thread = new Worker(new URL(import.meta.url), { workerData: [target, timeout] });
    thread.on('message', (line) => console.log(line));
    for await (const line of createInterface(process.stdin)) {
      if (line === 'terminate') await thread.terminate();
      console.log('done ' + line);
    }
  } else {
    let lock = await hold(console.log);
    for await (const line of createInterface(process.stdin)) {
      if (line === 'release') await lock.release();
      if (line === 'still held?') console.log(lock.held);
      if (line === 'exit') process.exit(3);
      if (line === 'throw') setImmediate(() => { throw new Error('uncaught'); });
      console.log('done ' + line);
    }
  }
`;

/** The script as one file, so that Node runs it without a loader. */
function bundledScript(): string {
  const outfile = join(temporaryFolder(), 'holder.mjs');
  buildSync({
    stdin: {
      contents: SCRIPT,
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire as fromHere } from 'node:module'; const require = fromHere(import.meta.url);",
    },
  });
  return outfile;
}

/** A child process that is talked to by lines. */
export class Child {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(command: string, args: readonly string[], options: SpawnOptions = {}) {
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], ...options });
    this.#lines = createInterface(this.process.stdout!)[Symbol.asyncIterator]();
    onTestFinished(() => void this.process.kill('SIGKILL'));
  }

  /** Sends a line and waits for the child to print the `answers`. */
  async ask(line: string, ...answers: string[]): Promise<void> {
    this.process.stdin!.write(`${line}\n`);
    for (const answer of answers) await this.heard(answer);
  }

  /** The next line. */
  async hear(): Promise<string | undefined> {
    return (await this.#lines.next()).value;
  }

  async heard(answer: string): Promise<void> {
    const value = await this.hear();
    if (value !== answer) throw new Error(`expected "${answer}" of the child, found "${value}"`);
  }

  /** Sends a last line and waits for the end; the exit code or the signal. */
  async end(line?: string): Promise<number | NodeJS.Signals> {
    const ended = once(this.process, 'exit');
    if (line !== undefined) this.process.stdin!.write(`${line}\n`);
    const [code, signal] = await ended;
    return code ?? signal;
  }
}

interface HolderOptions {
  /** How long it waits for the lock, ms; -1 is for ever. */
  timeout?: number;
  /** In which of its threads. */
  where?: 'main' | 'thread';
  /** The user that it is run as; only root can choose. */
  uid?: number;
}

/** A process of ours that wants the lock of `target`. */
export function wantLock(
  target: string,
  { timeout = -1, where = 'main', uid }: HolderOptions = {},
): Child {
  const script = bundledScript();
  if (uid !== undefined) chmodSync(dirname(script), 0o755);
  return new Child(process.execPath, [script, target, String(timeout), where], { uid });
}

/** A process of ours that holds the lock of `target`. */
export async function holdLock(target: string, options: HolderOptions = {}): Promise<Child> {
  const child = wantLock(target, options);
  await child.heard('held');
  return child;
}

/** A Git that holds the stack's lock between preparing a transaction and ending it. */
export async function holdLockWithGit(repository: string, oid: string): Promise<Child> {
  const command = process.env.REFTABLE_TEST_GIT || 'git';
  const child = new Child(command, ['update-ref', '--stdin'], { cwd: repository });
  await child.ask('start', 'start: ok');
  child.process.stdin!.write(`create refs/heads/by-git ${oid}\n`);
  await child.ask('prepare', 'prepare: ok');
  return child;
}
