// Smart HTTP, for a server of Node's: the two requests of a client that fetches.
//
//   GET  REPOSITORY/info/refs?service=git-upload-pack     what comes before the first request
//   POST REPOSITORY/git-upload-pack                       one request and its answer
//
// The version that the client wants stands in its `Git-Protocol` header.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RefError } from '../errors.ts';
import type { RepositoryDirs } from '../repository/git-dir.ts';
import type { Output } from './output.ts';
import { FLUSH, pktLine } from './pkt-line.ts';
import { requestedVersion } from './protocol-version.ts';
import { serveRepository } from './served-repository.ts';
import { type UploadPackOptions, uploadPack } from './upload-pack.ts';

export interface HttpHandlerOptions {
  /** The repository at a path, which is decoded and begins with a slash; `undefined` if there is none to be seen. */
  find(path: string): RepositoryDirs | undefined | Promise<RepositoryDirs | undefined>;
  /** The variables that Git would look at. Default: the process's. */
  env?: Record<string, string | undefined> | undefined;
  /** The Git to hand on to what needs objects; `false` for none. Default: `git`. */
  git?: string | false | undefined;
  /** Told of what went wrong while a request was answered. Default: nobody. */
  onError?: ((error: unknown) => void) | undefined;
}

/**
 * Answers a request; `false` if it is none for Git, and was left alone. Never rejects: what goes wrong ends in a
 * status, or, where the answer had begun, in the end of the connection.
 */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

const UNCACHED = {
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
} as const;

interface Route {
  path: string;
  part: 'advertisement' | 'request';
}

export function httpHandler(options: HttpHandlerOptions): HttpHandler {
  return async (request, response) => {
    const route = routeOf(request);
    if (route === undefined) return false;
    try {
      await answer(route, request, response, options);
    } catch (error) {
      if (!response.destroyed) options.onError?.(error);
      if (response.headersSent) response.destroy();
      else refuse(response, ...statusOf(error));
    }
    return true;
  };
}

function routeOf({ url = '' }: IncomingMessage): Route | undefined {
  const [, path, end] = /^([^?]*)\/(info\/refs|git-upload-pack)(?:\?.*)?$/s.exec(url) ?? [];
  if (path === undefined) return undefined;
  try {
    return {
      path: decodeURIComponent(path) || '/',
      part: end === 'info/refs' ? 'advertisement' : 'request',
    };
  } catch {
    return undefined;
  }
}

async function answer(
  { path, part }: Route,
  request: IncomingMessage,
  response: ServerResponse,
  { find, env = process.env, git }: HttpHandlerOptions,
): Promise<void> {
  const method = part === 'advertisement' ? ['GET', 'HEAD'] : ['POST'];
  if (!method.includes(request.method ?? '')) {
    response.setHeader('Allow', method.join(', '));
    return refuse(response, 405, 'Method Not Allowed');
  }
  if (part === 'advertisement') {
    const service = new URL(request.url!, 'http://localhost').searchParams.get('service');
    if (service !== 'git-upload-pack') {
      return refuse(response, 403, `Service not enabled: '${service ?? 'dumb HTTP'}'`);
    }
  } else if (request.headers['content-type'] !== 'application/x-git-upload-pack-request') {
    return refuse(response, 415, 'Unsupported Media Type');
  }
  const dirs = await find(path);
  if (dirs === undefined) return refuse(response, 404, 'Not Found');
  const version = requestedVersion(request.headers['git-protocol']);
  using repository = serveRepository(dirs, env);
  const kind = part === 'advertisement' ? 'advertisement' : 'result';
  response.setHeader('Content-Type', `application/x-git-upload-pack-${kind}`);
  for (const [name, value] of Object.entries(UNCACHED)) response.setHeader(name, value);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const output = responseOutput(response);
  if (part === 'advertisement' && version !== 2) {
    await output.write(Buffer.concat([pktLine('# service=git-upload-pack\n'), FLUSH]));
  }
  const uploading: UploadPackOptions = { version, part, git };
  await uploadPack(repository, bodyOf(request), output, uploading);
  response.end();
}

/** The request's body as it was before it was packed for the way. */
function bodyOf(request: IncomingMessage): AsyncIterable<Uint8Array> {
  const { 'content-encoding': encoding } = request.headers;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return request;
  return pipeline(request, createGunzip(), () => {});
}

/** Waits until the bytes were handed to the system, for their buffer is used again. */
function responseOutput(response: ServerResponse): Output {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        const closed = () => reject(new RefError('IO', 'the client has gone away'));
        if (response.destroyed) return closed();
        response.once('close', closed);
        response.write(bytes, (error) => {
          response.off('close', closed);
          if (error) reject(error);
          else resolve();
        });
      }),
  };
}

function statusOf(error: unknown): [status: number, text: string] {
  if (!(error instanceof RefError)) return [500, 'Internal Server Error'];
  if (error.code === 'NOT_A_REPOSITORY') return [404, 'Not Found'];
  return error.code === 'PROTOCOL' ? [400, error.message] : [500, 'Internal Server Error'];
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...UNCACHED, 'Content-Type': 'text/plain' });
  response.end(`${text}\n`);
}
