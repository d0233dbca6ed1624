// One conversation with a client that fetches: `git upload-pack`, as far as it is about refs. What needs objects is
// handed on to a Git, where there is one:
//
//   version 2        A request stands by itself. `ls-refs` is answered here; any other one, and one that says what we
//                    do not know, goes to a `git upload-pack --stateless-rpc` of its own, and its answer to the
//                    client. What a server can do is told in Git's own words, got from a Git that says no more.
//   versions 0, 1    The refs come first, from here; the negotiation behind them has a state, so it is one Git's from
//                    beginning to end. That Git is started before the refs are read and says first what it can do,
//                    which is what we say. It then waits in its own advertisement, which nobody has read: what it
//                    takes for its refs are those of the same moment. If the client wants something, the rest of that
//                    is thrown away, and from there on what one side says goes to the other.
//   stateless        One request and its answer, as over HTTP: of version 2 as above, of others all a Git's.
//
// Without a Git that can read the repository, only what is answered here is offered, and the client is told why what
// it wants cannot be had.

import { RefError } from '../errors.ts';
import { advertiseRefs, ownCapabilities } from './advertisement.ts';
import { readCommandRequest } from './command-request.ts';
import {
  GitUploadPack,
  gitCapabilities,
  gitWithRefs,
  type ProtocolVersion,
} from './git-upload-pack.ts';
import { answerLsRefs, NO_ARGUMENTS, readLsRefsArguments } from './ls-refs.ts';
import type { Output } from './output.ts';
import { encodePacket, PktLineReader, pktLine } from './pkt-line.ts';
import type { ServedRepository } from './served-repository.ts';

export interface UploadPackOptions {
  version: ProtocolVersion;
  /**
   * `advertisement`: what comes before the first request, and no more; `request`: one request and its answer, and no
   * advertisement before that. Default: the whole conversation.
   */
  part?: 'advertisement' | 'request' | undefined;
  /** The Git to hand on to; `false` for none. Default: `git`. */
  git?: string | false | undefined;
  /** How long Git waits for the client in versions 0 and 1, seconds, as text. */
  timeout?: string | undefined;
}

/** The exit code of what cannot be done. */
const REFUSED = 128;

const NEEDS_GIT =
  'upload-pack: only refs are served here: fetching objects needs a Git that can read the repository';

/**
 * Serves one client. Resolves to the exit code: 0, that of the Git that was handed on to, or 128 where there is none,
 * which the client was told. Throws `PROTOCOL`, in
 * Git's words, for what the client has no right to say, what reading the refs throws, and what `output` does.
 */
export async function uploadPack(
  repository: ServedRepository,
  input: AsyncIterable<Uint8Array>,
  output: Output,
  options: UploadPackOptions,
): Promise<number> {
  const { git = 'git', version } = options;
  const conversation = new Conversation(repository, input, output, { ...options, git });
  return version === 2 ? conversation.version2() : conversation.versions0And1();
}

class Conversation {
  readonly #repository: ServedRepository;
  readonly #reader: PktLineReader;
  readonly #output: Output;
  readonly #options: UploadPackOptions;
  #git: string | false;

  constructor(
    repository: ServedRepository,
    input: AsyncIterable<Uint8Array>,
    output: Output,
    options: UploadPackOptions & { git: string | false },
  ) {
    this.#repository = repository;
    this.#reader = new PktLineReader(input);
    this.#output = output;
    this.#options = options;
    this.#git = options.git;
  }

  async version2(): Promise<number> {
    const { part } = this.#options;
    if (part === 'request') return (await this.#answer()) ?? 0;
    const capabilities = this.#git && (await gitCapabilities(this.#repository, this.#git));
    if (capabilities === undefined) this.#git = false;
    await this.#output.write(capabilities || ownCapabilities(this.#repository));
    if (part === 'advertisement') return 0;
    for (;;) {
      const code = await this.#answer();
      if (code !== 0) return code ?? 0;
    }
  }

  /** Answers one request; the exit code, `undefined` where there was none. */
  async #answer(): Promise<number | undefined> {
    const request = await readCommandRequest(this.#reader, this.#repository);
    if (request.kind === 'none') return undefined;
    if (request.kind === 'ls-refs') {
      const asked = request.hasArguments ? await readLsRefsArguments(this.#reader) : NO_ARGUMENTS;
      await answerLsRefs(this.#repository, asked, this.#output);
      return 0;
    }
    const code = await this.#handOn(request.read);
    if (code !== undefined) return code;
    if (request.command === 'fetch') return this.#refuse();
    throw new RefError('PROTOCOL', request.complaint);
  }

  async versions0And1(): Promise<number> {
    const { part, timeout } = this.#options;
    const version = this.#options.version === 1 ? 1 : 0;
    if (part === 'request') {
      const code = await this.#handOnAll();
      return code ?? this.#refuse();
    }
    const args = part === 'advertisement' ? ['--http-backend-info-refs'] : [];
    if (timeout !== undefined) args.push(`--timeout=${timeout}`);
    const git =
      this.#git === false
        ? undefined
        : await gitWithRefs(this.#repository, { git: this.#git, version, args });
    try {
      const { shallow } = this.#repository;
      const advertised = { version, shallow, capabilities: git?.capabilities } as const;
      await advertiseRefs(this.#repository, advertised, this.#output);
      if (part === 'advertisement') return 0;
      const first = await this.#reader.read();
      if (first === 'flush') return 0;
      if (git === undefined) return await this.#refuse();
      while ((await git.reader.read()) !== 'flush');
      void git.child.tell(joined(encodePacket(first), this.#reader.rest()));
      for await (const piece of git.reader.rest()) await this.#output.write(piece);
      return (await git.child.ended) ?? 0;
    } finally {
      git?.child.end();
    }
  }

  /** Has a Git answer the request of which this was read; `undefined` if there is none. */
  async #handOn(read: readonly Uint8Array[]): Promise<number | undefined> {
    return this.#handOver(joined(...read, restOfRequest(this.#reader)));
  }

  /** The same for all that the client says. */
  async #handOnAll(): Promise<number | undefined> {
    return this.#handOver(this.#reader.rest());
  }

  async #handOver(request: AsyncIterable<Uint8Array>): Promise<number | undefined> {
    if (this.#git === false) return undefined;
    const { version, timeout } = this.#options;
    const args = ['--stateless-rpc', ...(timeout === undefined ? [] : [`--timeout=${timeout}`])];
    const child = new GitUploadPack(this.#repository, { git: this.#git, version, args });
    if (!(await child.started)) return undefined;
    try {
      const told = child.tell(request);
      let hasAnswered = false;
      for await (const piece of child.output as AsyncIterable<Uint8Array>) {
        hasAnswered = true;
        await this.#output.write(piece);
      }
      const code = await child.ended;
      if (code === 0) await told;
      else if (!hasAnswered && !(await gitCapabilities(this.#repository, this.#git)))
        return undefined;
      return code;
    } finally {
      child.end();
    }
  }

  /** Tells the client that there is no Git. */
  async #refuse(): Promise<number> {
    await this.#output.write(pktLine(`ERR ${NEEDS_GIT}`));
    return REFUSED;
  }
}

/** What comes of a request of version 2 up to its flush; what is no packet as it is, for a Git to complain of. */
async function* restOfRequest(reader: PktLineReader): AsyncIterableIterator<Uint8Array> {
  try {
    for (;;) {
      const packet = await reader.read();
      yield encodePacket(packet);
      if (packet === 'flush') return;
    }
  } catch (error) {
    if (!(error instanceof RefError)) throw error;
    yield* reader.rest();
  }
}

async function* joined(
  ...parts: (Uint8Array | AsyncIterable<Uint8Array>)[]
): AsyncIterableIterator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Uint8Array) yield part;
    else yield* part;
  }
}
