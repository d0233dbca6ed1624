// Repositories over smart HTTP, on the loopback: what `git http-backend` does, with the commands that it calls. The
// program itself is not run, for a Git that was unpacked beside the system's own may lack its libraries.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ENVIRONMENT, gitExecutable } from './git.ts';

/** Serves the repositories below `root` until the test has finished; gives the address, without a slash at the end. */
export async function serveRepositories(root: string): Promise<string> {
  const server = createServer((request, response) => answer(root, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
  const [, repository = '', what = ''] = /^(.*?)\/(info\/refs|git-[a-z-]+)$/.exec(pathname) ?? [];
  const isAdvertisement = what === 'info/refs';
  const service = isAdvertisement ? searchParams.get('service')! : what;
  const kind = isAdvertisement ? 'advertisement' : 'result';
  response.setHeader('Content-Type', `application/x-${service}-${kind}`);
  if (isAdvertisement) {
    const line = `# service=${service}\n`;
    response.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
  }
  const options = ['--stateless-rpc', ...(isAdvertisement ? ['--http-backend-info-refs'] : [])];
  const command = [service.replace('git-', ''), ...options, join(root, repository)];
  const git = spawn(gitExecutable!, command, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...ENVIRONMENT, GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined },
  });
  request.pipe(git.stdin);
  git.stdout.pipe(response);
}
