// A server for `git://` and `http://` at one port: a request of the former begins with a digit, its length, and none
// of the latter does.
//
//   git://    pkt-line: git-upload-pack /PATH NUL host=HOST NUL [NUL version=2 NUL]
//             then the conversation, as over standard input and output

import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { RefError } from '../errors.ts';
import { decodeText } from '../format/text.ts';
import { type HttpHandlerOptions, httpHandler } from './http-handler.ts';
import type { Output } from './output.ts';
import { PktLineReader, pktLine } from './pkt-line.ts';
import { requestedVersion } from './protocol-version.ts';
import { serveRepository } from './served-repository.ts';
import { uploadPack } from './upload-pack.ts';

/** The first digit of the length of a request: none is as long as 4,096 bytes. */
const ZERO = 0x30;

/**
 * A server that is to be told where to listen. What goes wrong with a client ends that connection alone. At a loopback
 * address it answers requests over HTTP for a loopback name alone.
 */
export function uploadPackServer(options: HttpHandlerOptions): Server {
  const handle = httpHandler(options);
  const http = createHttpServer(async (request, response) => {
    if (isFromElsewhere(request)) {
      response.writeHead(403, { 'Content-Type': 'text/plain' });
      response.end('served to this machine alone\n');
    } else if (!(await handle(request, response))) {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('Not Found\n');
    }
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      socket.pause();
      socket.unshift(bytes);
      if (bytes[0] === ZERO) {
        void converse(socket, options);
      } else {
        http.emit('connection', socket);
        process.nextTick(() => socket.resume());
      }
    });
  });
  return server;
}

/**
 * Whether a browser was led here, to what this machine alone is to reach: by a site whose name was made to mean this
 * machine, which stands in `Host` all the same.
 */
function isFromElsewhere({ socket, headers }: IncomingMessage): boolean {
  const { localAddress = '' } = socket;
  if (!/^(?:::ffff:)?127\.|^::1$/.test(localAddress)) return false;
  return !/^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i.test(headers.host ?? '');
}

/** Serves one client of `git://`. */
async function converse(socket: Socket, options: HttpHandlerOptions): Promise<void> {
  const { find, env = process.env, git, onError } = options;
  try {
    const reader = new PktLineReader(socket);
    const { service, path, protocol } = parseRequest(await reader.read());
    const dirs = service === 'git-upload-pack' ? await find(path) : undefined;
    const output = socketOutput(socket);
    if (dirs === undefined) {
      await output.write(pktLine(`ERR access denied or repository not exported: ${path}`));
    } else {
      using repository = serveRepository(dirs, env);
      await uploadPack(repository, reader.rest(), output, {
        version: requestedVersion(protocol),
        git,
      });
    }
    socket.end();
  } catch (error) {
    if (!socket.destroyed) onError?.(error);
  } finally {
    socket.destroySoon();
  }
}

function parseRequest(packet: unknown): { service: string; path: string; protocol: string } {
  const text = packet instanceof Uint8Array ? decodeText(packet) : '';
  const [request = '', , ...extra] = text.replace(/\n$/, '').split('\0');
  const [, service, path] = /^([^ ]*) (\/.*)$/s.exec(request) ?? [];
  if (service === undefined || path === undefined) {
    throw new RefError('PROTOCOL', `protocol error: '${request}'`);
  }
  return { service, path, protocol: extra.filter((parameter) => parameter !== '').join(':') };
}

function socketOutput(socket: Socket): Output {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
