// Serves the inspector page and the tables of one stack, read only, to this machine alone.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RefError } from '../errors.ts';
import type { TableStore } from '../stack/table-store.ts';
import { isTableName } from '../stack/tables-list.ts';

const HOST = '127.0.0.1';

const TEXT = 'text/plain; charset=utf-8';

interface Answer {
  status: number;
  type: string;
  body: string | Uint8Array;
}

export interface InspectorOptions {
  store: TableStore;
  geometricFactor: number;
  /** The page, one file that needs no other. */
  page: Uint8Array;
  /** 0: any that is free. */
  port: number;
}

/** Starts serving and gives the server with the address to open. Rejects with what listening fails with. */
export async function serveInspector(
  options: InspectorOptions,
): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    let answer: Answer;
    try {
      answer = answerTo(request, options);
    } catch (error) {
      answer = failure(error);
    }
    send(response, answer);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://${HOST}:${port}/` };
}

function answerTo(
  { method, url = '/', headers }: IncomingMessage,
  { store, geometricFactor, page }: InspectorOptions,
): Answer {
  // A page of another site whose name was made to lead here must not read the refs.
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? '')) {
    return { status: 403, type: TEXT, body: 'served to this machine alone\n' };
  }
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, type: TEXT, body: 'read only\n' };
  const { pathname } = new URL(url, `http://${HOST}`);
  if (pathname === '/') return { status: 200, type: 'text/html; charset=utf-8', body: page };
  if (pathname === '/api/stack') {
    const list = store.readList();
    store.releaseList(list);
    const stack = { location: store.location, tables: list.names, geometricFactor };
    return { status: 200, type: 'application/json', body: JSON.stringify(stack) };
  }
  const name = /^\/api\/tables\/([^/]+)$/.exec(pathname)?.[1];
  if (name !== undefined && isTableName(name)) {
    const source = store.open(name);
    try {
      const body = source.read(0, source.size);
      return { status: 200, type: 'application/octet-stream', body };
    } finally {
      source.close();
    }
  }
  return { status: 404, type: TEXT, body: 'there is no such thing\n' };
}

/** What the page needs: itself and the tables, and nothing from anywhere else. */
const POLICY = `default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:;
  style-src 'unsafe-inline'; connect-src 'self'; img-src data:`.replace(/\s+/g, ' ');

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': POLICY,
  });
  response.end(body);
}

function failure(error: unknown): Answer {
  const isMissing = error instanceof RefError && error.code === 'MISSING_TABLE';
  const message = error instanceof Error ? error.message : String(error);
  return { status: isMissing ? 404 : 500, type: TEXT, body: `${message}\n` };
}
