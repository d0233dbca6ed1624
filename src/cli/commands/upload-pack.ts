// `reftable upload-pack`: what a client that fetches talks to, over standard input and output.

import { requestedVersion } from '../../protocol/protocol-version.ts';
import { enterRepository, serveRepository } from '../../protocol/served-repository.ts';
import { uploadPack } from '../../protocol/upload-pack.ts';
import { parseArguments } from '../arguments.ts';
import { writeAll } from '../descriptors.ts';
import { UsageError } from '../failure.ts';

export const help = `usage: reftable upload-pack [--strict] [--timeout=<n>] [--stateless-rpc]
                            [--advertise-refs] <directory>

    --stateless-rpc       quit after a single request and its answer
    --advertise-refs      quit before the first request (--http-backend-info-refs, too)
    --strict              only <directory> itself, and no .git in it or behind it
    --timeout <n>         in versions 0 and 1, how long Git waits for the client, seconds

Tells a client of the refs, in the version that GIT_PROTOCOL asks for, as git upload-pack does, and
hands on to a git upload-pack what needs objects. It is for a client to call, as its
remote.<name>.uploadpack.
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    'stateless-rpc': {},
    'http-backend-info-refs': {},
    'advertise-refs': {},
    strict: {},
    timeout: { takes: 'text' },
  });
  const [directory] = operands;
  if (directory === undefined || operands.length > 1) throw new UsageError();
  const { timeout } = options;
  if (timeout !== undefined && !/^[+-]?\d+$/.test(timeout)) {
    throw new UsageError("option `timeout' expects a numerical value", { showsHelp: false });
  }
  const { env } = process;
  const isAdvertisement = options['http-backend-info-refs'] ?? options['advertise-refs'];
  const part = isAdvertisement ? 'advertisement' : options['stateless-rpc'] ? 'request' : undefined;
  using repository = serveRepository(
    enterRepository(directory, { env, strict: options.strict }),
    env,
  );
  const output = { write: (bytes: Uint8Array) => writeAll(1, bytes) };
  const version = requestedVersion(env.GIT_PROTOCOL);
  try {
    return await uploadPack(repository, standardInput(), output, { version, part, timeout });
  } finally {
    // What the client may yet say is not waited for.
    if (hasInput) process.stdin.destroy();
  }
}

let hasInput = false;

/** Not opened before it is needed. */
async function* standardInput(): AsyncIterableIterator<Uint8Array> {
  hasInput = true;
  yield* process.stdin;
}
