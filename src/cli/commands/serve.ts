// `reftable serve`: the repositories of a folder for clients on this machine, over `http://` and `git://`.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { repositoriesIn } from '../../protocol/repository-folder.ts';
import { uploadPackServer } from '../../protocol/server.ts';
import { parseArguments } from '../arguments.ts';
import { die, UsageError } from '../failure.ts';
import { stdout, writeError } from '../output.ts';

export const help = `usage: reftable serve [--port=<n>] [--listen=<address>] [<folder>]

    --port <n>            default: one that is free
    --listen <address>    who can reach it; default 127.0.0.1: this machine alone

Serves the repositories in <folder>, or the one that it is, to clients that list refs or fetch, over
http:// and git:// at the same port, until it is ended. Fetching needs a git on the PATH. Whoever can
reach the address may read all of these repositories.
`;

const LAST_PORT = 65535;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    port: { takes: 'text' },
    listen: { takes: 'text' },
  });
  if (operands.length > 1) throw new UsageError();
  const [folder = '.'] = operands;
  const { port = '0', listen = '127.0.0.1' } = options;
  if (!/^\d+$/.test(port) || Number(port) > LAST_PORT) {
    throw new UsageError(`option \`port' expects a number up to ${LAST_PORT}`, {
      showsHelp: false,
    });
  }
  const server = uploadPackServer({ find: repositoriesIn(folder, process.env), onError: report });
  try {
    server.listen(Number(port), listen);
    await once(server, 'listening');
  } catch (error) {
    die(`cannot listen at ${listen}, port ${port}: ${(error as Error).message}`);
  }
  const { address, port: chosen, family } = server.address() as AddressInfo;
  const host = `${family === 'IPv6' ? `[${address}]` : address}:${chosen}`;
  stdout.write(`http://${host}/\ngit://${host}/\n`);
  stdout.flush();
  await once(server, 'close');
  return 0;
}

function report(error: unknown): void {
  writeError(`error: ${error instanceof Error ? error.message : String(error)}\n`);
}
