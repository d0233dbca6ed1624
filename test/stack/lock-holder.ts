// Other processes that hold a stack's lock: one of ours, and a real Git.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What the child does with a line on its standard input. */
const SCRIPT = `
  import { createInterface } from 'node:readline';
  import { StackLock } from './src/stack/stack-lock.ts';
  import { nodeFileSystem } from './src/storage/node-file-system.ts';

  const [target, timeout] = process.argv.slice(2);
  const lock = await StackLock.acquire(nodeFileSystem, target, { timeout: Number(timeout) });
  console.log('held');
  for await (const line of createInterface(process.stdin)) {
    if (line === 'release') await lock.release();
    if (line === 'exit') process.exit(3);
    if (line === 'throw') setImmediate(() => { throw new Error('uncaught'); });
    console.log('done ' + line);
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

  constructor(command: string, args: readonly string[], options: { cwd?: string } = {}) {
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], ...options });
    this.#lines = createInterface(this.process.stdout!)[Symbol.asyncIterator]();
    onTestFinished(() => void this.process.kill('SIGKILL'));
  }

  /** Sends a line and waits for the child to print `answer`. */
  async ask(line: string, answer: string): Promise<void> {
    this.process.stdin!.write(`${line}\n`);
    await this.heard(answer);
  }

  async heard(answer: string): Promise<void> {
    const { value } = await this.#lines.next();
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

/** A process of ours that holds the lock of `target`. */
export async function holdLock(target: string): Promise<Child> {
  const child = new Child(process.execPath, [bundledScript(), target, '-1']);
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
