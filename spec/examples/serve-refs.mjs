// Serves repositories to clients of Git over HTTP, each by the name of its folder.
//   node serve-refs.mjs PATH…

import { createServer } from 'node:http';
import { basename, resolve } from 'node:path';
import { enterRepository, httpHandler } from 'reftable/protocol';

const repositories = new Map();
for (const path of process.argv.slice(2)) {
  repositories.set(
    `/${basename(resolve(path))}`,
    enterRepository(resolve(path), { env: process.env }),
  );
}

const handle = httpHandler({
  find: (path) => repositories.get(path),
  onError: console.error,
});

const server = createServer(async (request, response) => {
  if (!(await handle(request, response))) response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => {
  for (const path of repositories.keys()) {
    console.log(`http://127.0.0.1:${server.address().port}${path}`);
  }
});
