// Git's own `upload-pack` as a child process, which does what needs objects.

import { type ChildProcess, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RefError } from '../errors.ts';
import { PktLineReader, textOf } from './pkt-line.ts';
import type { ServedRepository } from './served-repository.ts';

export type ProtocolVersion = 0 | 1 | 2;

export interface GitCall {
  /** The Git to call. */
  git: string;
  version: ProtocolVersion;
  args?: readonly string[];
  /** Whether nobody wants to hear what it complains of. */
  isQuiet?: boolean;
}

/** What a list of capabilities takes at most, bytes. */
const MOST_CAPABILITIES = 1024 * 1024;

export class GitUploadPack {
  readonly #child: ChildProcess;
  /** Its exit code, as a shell tells it; `undefined` if it could not be started. */
  readonly ended: Promise<number | undefined>;
  /** Whether it could be started. */
  readonly started: Promise<boolean>;

  constructor({ gitDir, env }: ServedRepository, { git, version, args = [], isQuiet }: GitCall) {
    const child = spawn(git, ['upload-pack', ...args, '--strict', gitDir], {
      env: { ...env, GIT_PROTOCOL: `version=${version}` },
      stdio: ['pipe', 'pipe', isQuiet === true ? 'ignore' : 'inherit'],
    });
    this.#child = child;
    this.started = new Promise((resolve) => {
      child.once('spawn', () => resolve(true));
      child.once('error', () => resolve(false));
    });
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve(undefined));
      // By a signal: 128 and the signal's number, which does not matter here.
      child.once('close', (code) => resolve(code ?? 128));
    });
    // It may end before it has read all that it is told.
    child.stdin?.on('error', () => {});
  }

  /** What it says. */
  get output(): Readable {
    return this.#child.stdout!;
  }

  /**
   * Tells it something, to its end. Resolves when it has taken all of it, or does not listen any more, or there is no
   * more to tell because something went wrong: then it hears the end, and complains.
   */
  async tell(input: AsyncIterable<Uint8Array>): Promise<void> {
    await pipeline(Readable.from(input, { objectMode: false }), this.#child.stdin!).catch(() => {});
  }

  /** Ends it, unless it has ended; before it finds that it is not told any more, of which it would complain. */
  end(): void {
    this.#child.kill();
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
  }
}

/**
 * What the Git there says that it can do, in version 2, up to the flush; `undefined` where there is none that can
 * read the repository.
 */
export async function gitCapabilities(
  repository: ServedRepository,
  git: string,
): Promise<Uint8Array | undefined> {
  const args = ['--http-backend-info-refs'];
  const child = new GitUploadPack(repository, { git, version: 2, args, isQuiet: true });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of child.output as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    length += piece.length;
    if (length > MOST_CAPABILITIES) child.end();
  }
  if ((await child.ended) !== 0) return undefined;
  const all = Buffer.concat(pieces);
  const first = await firstPacket(new PktLineReader(Readable.from([all])));
  return first !== undefined && textOf(first) === 'version 2' ? all : undefined;
}

/**
 * A Git that has begun to advertise refs in version 0 or 1, and waits behind the first of them, which tells what it
 * can do; `undefined` where there is none that can read the repository.
 */
export async function gitWithRefs(
  repository: ServedRepository,
  call: GitCall,
): Promise<{ child: GitUploadPack; reader: PktLineReader; capabilities: Uint8Array } | undefined> {
  const child = new GitUploadPack(repository, call);
  const reader = new PktLineReader(child.output);
  let first = await firstPacket(reader);
  if (first !== undefined && call.version === 1) first = await firstPacket(reader);
  const nul = first?.indexOf(0) ?? -1;
  if (first === undefined || nul < 0) {
    child.end();
    return undefined;
  }
  const capabilities = first.slice(nul + 1, first.at(-1) === 0x0a ? -1 : undefined);
  return { child, reader, capabilities };
}

async function firstPacket(reader: PktLineReader): Promise<Uint8Array | undefined> {
  try {
    const packet = await reader.readOrEnd();
    return packet instanceof Uint8Array ? packet : undefined;
  } catch (error) {
    if (error instanceof RefError) return undefined;
    throw error;
  }
}
