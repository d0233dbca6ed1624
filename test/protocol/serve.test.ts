// `reftable serve` and the handler for a server of one's own: what clients get over http:// and git://.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { listServerRefs } from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLUSH, httpHandler, pktLine, repositoriesIn } from '../../src/protocol/index.ts';
import { buildCommandLine, commandLine } from '../cli/command-line.ts';
import { fixture } from '../support/fixtures.ts';
import { describeWithGit, ENVIRONMENT, git, gitExecutable } from '../support/git.ts';
import { repositoryOf } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { askGit, GIT_PATH, makeServed } from './served-repositories.ts';

const VERSIONS = ['0', '1', '2'] as const;
const LS_REFS = Buffer.concat([pktLine('command=ls-refs\n'), FLUSH]);

/** A Git that speaks HTTP, which one that was put somewhere without its libraries may not. */
const httpClient = [gitExecutable ?? 'git', 'git'].find((client) => {
  const { stderr } = spawnSync(client, ['remote-http'], { encoding: 'utf8' });
  return /usage/.test(stderr ?? '');
});

/** What speaks to a URL. */
function clientOf(url: string): string | undefined {
  return url.startsWith('http') ? httpClient : gitExecutable;
}

/** Starts `reftable serve`, and gives where it listens. */
async function serve(folder: string): Promise<{ child: ChildProcess; urls: string[] }> {
  const [node, script] = commandLine();
  const child = spawn(node, [script, 'serve', folder], {
    env: { ...ENVIRONMENT, PATH: GIT_PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for await (const text of child.stdout!.iterator({ destroyOnReturn: false })) {
    printed += text;
    if (printed.split('\n').length > 2) break;
  }
  return { child, urls: printed.trim().split('\n') };
}

describeWithGit('reftable serve', () => {
  let path: string;
  let server: Awaited<ReturnType<typeof serve>>;
  let urls: string[];
  /** Those that there is a client for. */
  let clientUrls: string[];

  beforeAll(async () => {
    buildCommandLine();
    path = makeServed('reftable');
    server = await serve(dirname(path));
    urls = server.urls.map((url) => `${url}${basename(path)}`);
    clientUrls = urls.filter((url) => clientOf(url) !== undefined);
  });
  afterAll(() => {
    server.child.kill();
  });

  /** Runs the client, which must succeed, and gives what it printed. */
  function ask(url: string, version: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(
      clientOf(url)!,
      ['-c', `protocol.version=${version}`, ...args],
      { env: ENVIRONMENT, encoding: 'latin1' },
    );
    expect({ url, status, stderr }).toEqual({ url, status: 0, stderr: '' });
    return stdout;
  }

  it('lists refs as Git does', () => {
    for (const version of VERSIONS) {
      for (const args of [['--symref'], ['--tags'], ['--heads']]) {
        const file = `file://${path}`;
        const expected = ask(file, version, 'ls-remote', ...args, file);
        for (const url of clientUrls) {
          expect(ask(url, version, 'ls-remote', ...args, url)).toBe(expected);
        }
      }
    }
  });

  it('has a Git hand out objects', () => {
    for (const version of VERSIONS) {
      for (const url of clientUrls) {
        const clone = join(temporaryFolder(), 'clone');
        ask(url, version, 'clone', '-q', '--depth=1', url, clone);
        ask(url, version, '-C', clone, 'fetch', '-q', '--unshallow', '--tags');
        const shown = ask(url, version, '-C', clone, 'rev-parse', 'HEAD', 'v1-again');
        expect(shown).toBe(git.output(['rev-parse', 'HEAD', 'v1-again'], { cwd: path }));
      }
    }
  });

  it.each(['reftable', 'files'] as const)('fetches what was committed since (%s)', (format) => {
    const origin = makeServed(format);
    const clone = join(temporaryFolder(), 'clone');
    const [node, script] = commandLine();
    const uploadPack = `${node} ${script} upload-pack`;
    for (const version of VERSIONS) {
      const run = (...args: string[]) =>
        git.output(['-c', `protocol.version=${version}`, ...args], { cwd: dirname(clone) });
      if (version === '0') run('clone', '-q', '-u', uploadPack, `file://${origin}`, clone);
      const message = ['commit', '-q', '--allow-empty', '-m', version];
      git.output(message, { cwd: origin });
      git.output(['commit', '-q', '--allow-empty', '-m', 'own'], { cwd: clone });
      run('-C', clone, 'fetch', '-q', `--upload-pack=${uploadPack}`);
      const fetched = run('-C', clone, 'rev-parse', 'origin/main');
      expect(fetched).toBe(git.output(['rev-parse', 'HEAD'], { cwd: origin }));
    }
  });

  it('serves nothing outside its folder', () => {
    const [, url] = urls;
    for (const other of [`${url}/../../etc`, `${url}-not-there`]) {
      const { code, stderr } = askGit(['ls-remote', other]);
      expect({ code, stderr }).toMatchObject({
        code: 128,
        stderr: expect.stringContaining('access denied or repository not exported'),
      });
    }
  });

  it('answers no page of another site that was led here', async () => {
    const { port } = new URL(urls[0]!);
    for (const [host, status] of [
      ['evil.example', '403'],
      [`localhost:${port}`, '200'],
    ]) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(
        `GET /served/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      let answer = '';
      for await (const text of socket) answer += text;
      expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    }
  });

  it('outlives clients that send anything, or go away', async () => {
    const { hostname, port } = new URL(urls[0]!);
    const requests = [
      '0',
      '0000',
      '0003',
      '0fff',
      'GET',
      'GET /served/info/refs?service=git-upload-pack HTTP/1.1\r\n\r\n',
      '001fgit-receive-pack /served\0host=',
      '001cgit-upload-pack /served\0\0zzzz',
      '0019nothing at all, really',
      '\0\0\0\0',
    ];
    for (const text of requests) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.resume();
      socket.end(text);
      await once(socket, 'close');
    }
    const leaving = connect(Number(port), hostname);
    leaving.write('001cgit-upload-pack /served\0\0');
    await once(leaving, 'data').catch(() => {});
    leaving.destroy();
    ask(urls[1]!, '2', 'ls-remote', urls[1]!);
    expect(server.child.exitCode).toBe(null);
  });
});

describe('the handler', () => {
  const errors: unknown[] = [];
  let server: Server;
  let base: string;

  beforeAll(async () => {
    const find = repositoriesIn(repositoryOf(fixture('minimal')), {});
    const handle = httpHandler({ find, git: false, onError: (error) => errors.push(error) });
    server = createServer(async (request, response) => {
      if (!(await handle(request, response))) response.end('not for Git');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
  });

  const post = (body: Uint8Array, headers: Record<string, string> = {}) =>
    fetch(`${base}/git-upload-pack`, {
      method: 'POST',
      body: Buffer.from(body),
      headers: {
        'Content-Type': 'application/x-git-upload-pack-request',
        'Git-Protocol': 'version=2',
        ...headers,
      },
    });

  it('answers what is for Git, and leaves the rest alone', async () => {
    const offered = await fetch(`${base}/info/refs?service=git-upload-pack`, {
      headers: { 'Git-Protocol': 'version=2' },
    });
    expect(offered.headers.get('content-type')).toBe('application/x-git-upload-pack-advertisement');
    expect(await offered.text()).toMatch(/^000eversion 2\n/);
    const refs = await (await fetch(`${base}/info/refs?service=git-upload-pack`)).text();
    expect(refs).toMatch(/^001e# service=git-upload-pack\n0000[0-9a-f]{44} HEAD\0symref=HEAD:/);
    const listed = await post(LS_REFS);
    expect(listed.headers.get('content-type')).toBe('application/x-git-upload-pack-result');
    expect(await listed.text()).toMatch(/ HEAD\n.* refs\/heads\/main\n0000$/s);
    expect(await (await fetch(`${base}/`)).text()).toBe('not for Git');
  });

  it('is understood by isomorphic-git', async () => {
    const expected = fixture('minimal').refs.map(({ name: ref, oid, peeled, target }) => ({
      ...{ ref, oid },
      ...(peeled && { peeled }),
      ...(target && { target }),
    }));
    for (const protocolVersion of [1, 2] as const) {
      const asked = { http, url: base, protocolVersion, symrefs: true, peelTags: true };
      expect(await listServerRefs(asked), `version ${protocolVersion}`).toEqual(expected);
    }
  });

  it('reads bodies that were packed', async () => {
    const packed = await post(gzipSync(LS_REFS), { 'Content-Encoding': 'gzip' });
    expect(await packed.text()).toBe(await (await post(LS_REFS)).text());
    expect((await post(LS_REFS, { 'Content-Encoding': 'gzip' })).status).toBe(500);
  });

  it('refuses the rest', async () => {
    const statusOf = async (path: string, init?: RequestInit) =>
      (await fetch(`${base}${path}`, init)).status;
    expect(await statusOf('/info/refs')).toBe(403);
    expect(await statusOf('/info/refs?service=git-receive-pack')).toBe(403);
    expect(await statusOf('/elsewhere/info/refs?service=git-upload-pack')).toBe(404);
    expect(await statusOf('/git-upload-pack')).toBe(405);
    expect(await statusOf('/git-upload-pack', { method: 'POST', body: 'x' })).toBe(415);
    errors.length = 0;
    expect((await post(Buffer.from('zzzz'))).status).toBe(400);
    expect(errors).toMatchObject([{ code: 'PROTOCOL' }]);
  });

  it('tells the client that wants objects what that needs', async () => {
    const refused = await post(Buffer.concat([pktLine('command=fetch\n'), FLUSH]));
    expect(await refused.text()).toMatch(/^[0-9a-f]{4}ERR upload-pack: .* needs a Git/);
  });
});
