// What a client may say in version 2, and what it may not: Git's answer, exit code and words are ours, too.

import { spawn } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { pktLine } from '../../src/protocol/pkt-line.ts';
import { buildCommandLine, commandLine, reftable } from '../cli/command-line.ts';
import { fixture } from '../support/fixtures.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { repositoryOf } from '../support/repository.ts';
import { GIT_PATH, makeServed } from './served-repositories.ts';

const FLUSH = '0000';
const DELIMITER = '0001';
const LS_REFS = ['command=ls-refs\n', 'object-format=sha1\n'];

beforeAll(buildCommandLine);

/** Lines as packets; what is marked by `raw` as it is. */
function request(...lines: (string | { raw: string })[]): Buffer {
  return Buffer.concat(
    lines.map((line) => {
      if (typeof line !== 'string') return Buffer.from(line.raw, 'latin1');
      return line === FLUSH || line === DELIMITER ? Buffer.from(line) : pktLine(line);
    }),
  );
}

const raw = (text: string) => ({ raw: text });

describeWithGit('a request of version 2', () => {
  let path: string;
  beforeAll(() => {
    path = makeServed('reftable');
  });

  /** Gives it to Git's and to ours, as one request or as a conversation. */
  function expectSame(
    input: Uint8Array,
    { env = {}, parts = [['--stateless-rpc']] as string[][] } = {},
  ): void {
    for (const part of parts) {
      const options = { input, env: { GIT_PROTOCOL: 'version=2', PATH: GIT_PATH, ...env } };
      const shown = ({ code, stdoutBytes, stderr }: ReturnType<typeof git.run>) => ({
        code,
        stdout: stdoutBytes.toString('latin1'),
        stderr,
      });
      const actual = shown(reftable(['upload-pack', ...part, path], options));
      expect(actual).toEqual(shown(git.run(['upload-pack', ...part, path], options)));
    }
  }

  it('lists refs, with what is asked for', () => {
    const asking = (...args: string[]) =>
      expectSame(request(...LS_REFS, DELIMITER, ...args, FLUSH));
    asking();
    asking('peel\n');
    asking('symrefs');
    asking('peel\n', 'symrefs\n', 'unborn\n');
    asking('ref-prefix refs/heads/\n', 'ref-prefix HEAD\n');
    asking('ref-prefix refs/heads/topic', 'ref-prefix refs/heads', 'ref-prefix refs/heads/main');
    asking('ref-prefix ', 'ref-prefix refs/tags/');
    asking('ref-prefix r');
    asking('ref-prefix H');
    asking('ref-prefix refs/heads/*', 'ref-prefix refs/heads/main');
    asking('ref-prefix main', 'ref-prefix refs/tags/v1\0of no concern');
    expectSame(request(...LS_REFS, FLUSH), { parts: [['--stateless-rpc'], []] });
    expectSame(request(...LS_REFS, 'agent=x', 'server-option=y', 'server-option=z', FLUSH));
  });

  it('may begin with what ends within a character', () => {
    const prefixes = ['\xc3', '\xc3\xbc', ''].map((end) => {
      const line = `ref-prefix refs/heads/topic/t${end}`;
      return raw((4 + line.length).toString(16).padStart(4, '0') + line);
    });
    for (const prefix of prefixes) expectSame(request(...LS_REFS, DELIMITER, prefix, FLUSH));
    expectSame(request(...LS_REFS, DELIMITER, ...prefixes, FLUSH));
  });

  it('may have so many prefixes that they do not count', () => {
    for (const count of [65_535, 65_536, 100_000]) {
      const prefixes = Array.from({ length: count }, (_, i) => `ref-prefix refs/heads/m${i}\n`);
      expectSame(request(...LS_REFS, DELIMITER, ...prefixes, FLUSH));
    }
  });

  it('must be one', () => {
    for (const lines of [
      [],
      [FLUSH],
      [raw('zzzz')],
      [raw('00')],
      [raw('0003')],
      [raw('-001')],
      [raw('+001')],
      [raw('0x10')],
      [raw('00\xe44')],
      [raw('\0\x01\x02\x03')],
      [raw('fff4')],
      [raw('ffff')],
      [raw('FFF3abc')],
      [raw('0004')],
      ['command=nothing', FLUSH],
      ['command=ls-refs=x', FLUSH],
      ['command', FLUSH],
      ['command=ls-refs', 'nothing=x', FLUSH],
      ['command=ls-refs', 'nothing', FLUSH],
      ['command=ls-refs', 'session-id=x', FLUSH],
      ['command=ls-refs', 'command=ls-refs', FLUSH],
      ['command=ls-refs', 'command=fetch', FLUSH],
      ['command=fetch', 'command=ls-refs', FLUSH],
      ['agent=x', FLUSH],
      ['object-format', FLUSH],
      ['object-format=md5', FLUSH],
      ['command=ls-refs', 'object-format=sha256', FLUSH],
      ['ERR of no use', FLUSH],
      ['command=ls-refs'],
      ['command=ls-refs', raw('00')],
      ['command=ls-refs', raw('0010abc')],
      ['command=ls-refs', DELIMITER, 'nothing', FLUSH],
      ['command=ls-refs', DELIMITER, 'ref-prefix', FLUSH],
      ['command=ls-refs', DELIMITER, 'ERR nothing', FLUSH],
      ['command=ls-refs', DELIMITER, DELIMITER],
      ['command=ls-refs', DELIMITER, 'peel'],
      ['command=fetch', DELIMITER, 'nothing', FLUSH],
      ['command=fetch', 'object-format=sha1', DELIMITER, 'want nothing', FLUSH],
      ['command=fetch', 'object-format=sha1', DELIMITER, raw('zzzz'), FLUSH],
      ['command=fetch', 'object-format=sha1', DELIMITER, raw('00\x01'), FLUSH],
      ['command=fetch', 'object-format=sha1', DELIMITER, 'ERR nothing', FLUSH],
      ['command=fetch', 'object-format=sha1', DELIMITER, raw('0010abc')],
      ['command=object-info', FLUSH],
      ['command=ls-refs\0nothing', FLUSH],
    ]) {
      expectSame(request(...lines));
    }
  });

  it('may be followed by others', () => {
    const head = git.output(['rev-parse', 'HEAD'], { cwd: path }).trim();
    const list = [...LS_REFS, DELIMITER, 'peel', FLUSH];
    const fetch = ['command=fetch', 'object-format=sha1', DELIMITER, `have ${head}`, FLUSH];
    expectSame(request(...list, ...list, ...fetch, ...list, FLUSH), { parts: [[]] });
    for (const last of [['command=nothing', FLUSH], [raw('zzzz')], [raw('00')], []]) {
      expectSame(request(...list, ...fetch, ...last), { parts: [[]] });
    }
  });

  it('has to name a namespace that can be', () => {
    expectSame(request(...LS_REFS, FLUSH), { env: { GIT_NAMESPACE: 'a/..' } });
  });

  it('is refused by a repository that cannot be read', () => {
    const env = { GIT_PROTOCOL: 'version=2', PATH: GIT_PATH };
    for (const args of [['nowhere'], ['--strict', path], [], ['a', 'b']]) {
      const [theirs, ours] = [git.run, reftable].map((run) =>
        run(['upload-pack', ...args], { env }),
      );
      expect(ours!.code).toBe(theirs!.code);
      if (theirs!.code !== 129) expect(ours!.stderr).toBe(theirs!.stderr);
    }
  });

  it('may be left in the middle', async () => {
    const [node, script] = commandLine();
    const child = spawn(node, [script, 'upload-pack', '--stateless-rpc', path], {
      env: { ...ENVIRONMENT, GIT_PROTOCOL: 'version=2' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let complaint = '';
    child.stderr.on('data', (text) => {
      complaint += text;
    });
    child.stdin.end(request(...LS_REFS, FLUSH));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, complaint }).toEqual({ code: 141, complaint: '' });
  });
});

describe('without a Git', () => {
  it('offers refs, and says what fetching needs', () => {
    const path = repositoryOf(fixture('minimal'));
    const env = { GIT_PROTOCOL: 'version=2', PATH: '' };
    const offered = reftable(['upload-pack', '--advertise-refs', path], { env });
    expect(offered.stdout).toMatch(/^000eversion 2\n[0-9a-f]{4}agent=reftable\//);
    expect(offered.stdout).toMatch(
      /0013ls-refs=unborn\n0012server-option\n0017object-format=sha1\n0000$/,
    );
    const list = request(...LS_REFS, FLUSH);
    const listed = reftable(['upload-pack', '--stateless-rpc', path], { env, input: list });
    expect(listed.stdout).toMatch(/^[0-9a-f]{44} HEAD\n/);
    const needs = /[0-9a-f]{4}ERR upload-pack: .* needs a Git that can read the repository$/;
    const fetch = request('command=fetch', 'object-format=sha1', FLUSH);
    const fetched = reftable(['upload-pack', path], { env, input: Buffer.concat([list, fetch]) });
    expect(fetched.code).toBe(128);
    expect(fetched.stdout).toMatch(needs);
    for (const version of ['0', '1']) {
      const want = request(`want ${'1'.repeat(40)}`, FLUSH);
      const options = { env: { PATH: '', GIT_PROTOCOL: `version=${version}` }, input: want };
      const refused = reftable(['upload-pack', path], options);
      expect(refused.stdout).toMatch(
        /HEAD\0symref=HEAD:refs\/heads\/main object-format=sha1 agent=/,
      );
      expect(refused.stdout).toMatch(needs);
      const left = reftable(['upload-pack', path], { ...options, input: FLUSH });
      expect({ code: left.code, stderr: left.stderr }).toEqual({ code: 0, stderr: '' });
    }
  });
});
