import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { thisMachine } from '../../src/stack/lock/machine.ts';
import {
  formatOwner,
  judge,
  type LockOwner,
  MAX_RECORD_SIZE,
  type Machine,
  parseOwner,
  type Sighting,
} from '../../src/stack/lock/owner.ts';

const identity = { thread: 12, started: 345, boot: 'b-1', namespaces: 'pid:[1] time:[2]' };
const owner: LockOwner = { pid: 11, host: 'here', identity, token: '0123456789abcdef'.repeat(2) };

describe('the record of an owner', () => {
  it('is text that people can read', () => {
    expect(Buffer.from(formatOwner(owner)).toString().split('\n')).toEqual([
      'reftable lock 1',
      'pid 11',
      'host here',
      'thread 12',
      'started 345',
      'boot b-1',
      'namespaces pid:[1] time:[2]',
      'token 0123456789abcdef0123456789abcdef',
      '',
    ]);
  });

  it.each([
    ['a known identity', owner],
    ['none', { ...owner, identity: undefined }],
    ['a long host name', { ...owner, host: 'h'.repeat(253) }],
  ])('comes back as it was, with %s', (_what, value) => {
    const bytes = formatOwner(value);
    expect(bytes.length).toBeLessThan(MAX_RECORD_SIZE);
    expect(parseOwner(bytes)).toEqual(value);
  });

  it('is nothing where any of its end is missing', () => {
    const bytes = formatOwner(owner);
    for (let size = 0; size < bytes.length; size++) {
      expect(parseOwner(bytes.subarray(0, size))).toBeUndefined();
    }
  });

  it.each([
    ['an empty file', () => ''],
    ['a list of tables', () => '0x000000000001-0x000000000001-4c7b6ae1.ref\n'],
    ['another version', (text: string) => text.replace('lock 1', 'lock 2')],
    ['no process', (text: string) => text.replace('pid 11\n', '')],
    ['a process id that means a group', (text: string) => text.replace('pid 11', 'pid 0')],
    ['a negative process id', (text: string) => text.replace('pid 11', 'pid -1')],
    ['a token that is a path', (text: string) => text.replace(/token .*/, 'token ../../x')],
    ['bytes that are no text', () => '\xff\0\xfe'],
  ])('is nothing for %s', (_what, change) => {
    const text = Buffer.from(formatOwner(owner)).toString();
    expect(parseOwner(Buffer.from(change(text), 'latin1'))).toBeUndefined();
  });
});

describe('an owner', () => {
  const machine = (sighting: Sighting, self: Partial<LockOwner> = {}): Machine => ({
    self: () => ({ ...owner, pid: 99, ...self }),
    newToken: () => 'f'.repeat(32),
    look: (pid, thread) => {
      expect([pid, thread]).toEqual([11, 12]);
      return sighting;
    },
  });
  const running = { state: 'S', started: 345 };

  it.each([
    ['alive', 'sleeps', running],
    ['alive', 'runs', { ...running, state: 'R' }],
    ['alive', 'was stopped', { ...running, state: 'T' }],
    ['alive', 'waits for a disk', { ...running, state: 'D' }],
    ['dead', 'is gone', 'gone'],
    ['dead', 'ended, and nobody has asked how', { ...running, state: 'Z' }],
    ['dead', 'gave its number to a later one', { ...running, started: 346 }],
    ['unknown', 'may be hidden', 'hidden'],
  ] as const)('is %s when its thread %s', (verdict, _what, sighting) => {
    expect(judge(owner, machine(sighting))).toBe(verdict);
  });

  it.each([
    ['another host', { host: 'there' }],
    ['another boot', { identity: { ...identity, boot: 'b-2' } }],
    ['another pid namespace', { identity: { ...identity, namespaces: 'pid:[3] time:[2]' } }],
    ['another time namespace', { identity: { ...identity, namespaces: 'pid:[1] time:[3]' } }],
  ])('of %s is elsewhere, although its number is free here', (_what, self) => {
    expect(judge(owner, machine('gone', self))).toBe('elsewhere');
  });

  it('is unknown where either side does not know enough', () => {
    expect(judge(owner, machine('gone', { identity: undefined }))).toBe('unknown');
    expect(judge({ ...owner, identity: undefined }, machine('gone'))).toBe('unknown');
  });
});

describe.runIf(process.platform === 'linux')('this machine', () => {
  const self = thisMachine.self();
  const { thread, started } = self.identity!;

  it('knows the thread that asks', () => {
    expect(self.pid).toBe(process.pid);
    expect(self.identity!.boot).toBe(
      readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    );
    expect(thisMachine.look(self.pid, thread)).toEqual({ state: 'R', started });
  });

  it('tells threads of one process apart, and one that ended from one that runs', async () => {
    const code = `
      const { parentPort } = require('node:worker_threads');
      const { readlinkSync } = require('node:fs');
      parentPort.postMessage(readlinkSync('/proc/thread-self').split('/').pop());
      parentPort.on('message', () => {});
    `;
    const worker = new Worker(code, { eval: true });
    const other = Number(await new Promise((resolve) => worker.once('message', resolve)));
    expect(other).not.toBe(thread);
    expect(thisMachine.look(self.pid, other)).toMatchObject({ started: expect.any(Number) });
    await worker.terminate();
    expect(thisMachine.look(self.pid, other)).toBe('gone');
  });

  it('knows a process that ended as gone', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    expect(thisMachine.look(pid, pid)).toBe('gone');
  });

  it('never gives a token twice', () => {
    const tokens = Array.from({ length: 1000 }, () => thisMachine.newToken());
    expect(new Set(tokens).size).toBe(1000);
    expect(tokens.every((token) => /^[0-9a-f]{32}$/.test(token))).toBe(true);
  });
});
