// The owner of a lock: the record that a lock file holds of it, and whether it is dead.
//
//   reftable lock 1
//   pid 4711
//   thread 4713                                     as the kernel numbers threads
//   started 8812345                                 when that thread began, clock ticks since the boot
//   host build-7
//   boot 1c0e8a9a-2f0b-4a36-9c62-3f2a0e3f6a54       the kernel's name for this boot
//   namespaces pid:[4026531836] time:[4026531834]   what the numbers above are relative to
//   token 4f1a0c22d7e93b6058c1e7724a90fd3b          the identity of this one lock
//
// The token comes last: where it and its line feed are, nothing is missing. Where the system does not tell
// all of `thread` to `namespaces`, all of them are left out, and such an owner is never proven dead.

/** A thread of a process, among all that ever ran anywhere. */
export interface ThreadIdentity {
  thread: number;
  /** Clock ticks since the boot. */
  started: number;
  boot: string;
  namespaces: string;
}

export interface LockOwner {
  pid: number;
  host: string;
  /** `undefined` where the system does not tell. */
  identity: ThreadIdentity | undefined;
  /** 32 hexadecimal digits, unlike any other lock's. */
  token: string;
}

/**
 * What is known of an owner: `elsewhere` means another host, another container, or before a restart, of which
 * nothing can be seen from here.
 */
export type Verdict = 'alive' | 'dead' | 'elsewhere' | 'unknown';

/** What a machine says of one of its threads; `hidden` if it may exist and not be shown to us. */
export type Sighting = { state: string; started: number } | 'gone' | 'hidden';

/** The machine on which this code runs. */
export interface Machine {
  /** The thread that asks. */
  self(): Omit<LockOwner, 'token'>;
  newToken(): string;
  look(pid: number, thread: number): Sighting;
}

/** Larger than any record, bytes. */
export const MAX_RECORD_SIZE = 1024;

const MAGIC = 'reftable lock 1';

export function formatOwner({ pid, host, identity, token }: LockOwner): Uint8Array {
  const lines = [MAGIC, `pid ${pid}`, `host ${host}`];
  if (identity !== undefined) {
    const { thread, started, boot, namespaces } = identity;
    lines.push(`thread ${thread}`, `started ${started}`);
    lines.push(`boot ${boot}`, `namespaces ${namespaces}`);
  }
  return Buffer.from(`${lines.join('\n')}\ntoken ${token}\n`);
}

/** `undefined` for what is not a whole record: Git's lock, say, which is empty or a list of tables. */
export function parseOwner(bytes: Uint8Array): LockOwner | undefined {
  const [magic, ...lines] = Buffer.from(bytes).toString().split('\n');
  if (magic !== MAGIC || lines.pop() !== '') return undefined;
  const fields = new Map(lines.map((line) => splitAtSpace(line)));
  const token = fields.get('token');
  const pid = positive(fields.get('pid'));
  const host = fields.get('host');
  if (token === undefined || !/^[0-9a-f]{32}$/.test(token)) return undefined;
  if (pid === undefined || host === undefined) return undefined;
  return { pid, host, identity: parseIdentity(fields), token };
}

/** Whether `owner` is dead, as far as `machine` can tell. A stopped process is alive. */
export function judge(owner: LockOwner, machine: Machine): Verdict {
  const self = machine.self();
  if (self.host !== owner.host) return 'elsewhere';
  if (self.identity === undefined || owner.identity === undefined) return 'unknown';
  const { thread, started, boot, namespaces } = owner.identity;
  if (self.identity.boot !== boot || self.identity.namespaces !== namespaces) return 'elsewhere';
  const sighting = machine.look(owner.pid, thread);
  if (sighting === 'hidden') return 'unknown';
  const isRunning =
    sighting !== 'gone' && sighting.started === started && !ENDED.has(sighting.state);
  return isRunning ? 'alive' : 'dead';
}

/** The states of a thread that runs no more: a zombie that nobody has asked for its end, and dead. */
export const ENDED = new Set(['Z', 'X', 'x']);

function parseIdentity(fields: ReadonlyMap<string, string>): ThreadIdentity | undefined {
  const thread = positive(fields.get('thread'));
  const started = positive(fields.get('started'));
  const boot = fields.get('boot');
  const namespaces = fields.get('namespaces');
  if (thread === undefined || started === undefined || !boot || !namespaces) return undefined;
  return { thread, started, boot, namespaces };
}

function splitAtSpace(line: string): [string, string] {
  const end = line.indexOf(' ');
  return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
}

/** Zero is refused, too: as a process id it would mean the asker's own process group. */
function positive(digits: string | undefined): number | undefined {
  if (digits === undefined || !/^[1-9]\d{0,14}$/.test(digits)) return undefined;
  return Number(digits);
}
