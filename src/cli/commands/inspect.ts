// `reftable inspect`: the inspector page for a repository, served to this machine.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveInspector } from '../../inspector/server.ts';
import { DirectoryTableStore } from '../../stack/directory-table-store.ts';
import { nodeFileSystem } from '../../storage/node-file-system.ts';
import { parseArguments } from '../arguments.ts';
import { die, UsageError } from '../failure.ts';
import { stdout } from '../output.ts';
import { findStackFolder, geometricFactorOf } from '../stack-view.ts';

export const help = `usage: reftable inspect [--port=<n>] [<path>]

    --port=<n>            where to listen; any that is free if it is not given

Serves a page that shows the stack of the repository at <path>, or of the reftable folder that <path> is:
the tables to scale, their blocks and records, each ref's history, and what compaction would do next. It
is served to this machine alone, and changes nothing. Ends with Ctrl-C.
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, { port: { takes: 'text' } });
  if (operands.length > 1) throw new UsageError();
  const port = Number(options.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new UsageError(`expected a port from 0 to 65535, found '${options.port}'`);
  }
  const folder = findStackFolder(operands[0]);
  const store = new DirectoryTableStore(nodeFileSystem, folder);
  const geometricFactor = geometricFactorOf(folder);
  const page = readFileSync(join(import.meta.dirname, 'inspector.html'));
  const { server, url } = await serveInspector({ store, geometricFactor, page, port }).catch(
    (error: NodeJS.ErrnoException) => die(`cannot listen on port ${port}: ${error.message}`),
  );
  stdout.write(`${url}\n`);
  stdout.flush();
  await new Promise<void>((ended) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, ended);
  });
  server.close();
  server.closeAllConnections();
  return 0;
}
