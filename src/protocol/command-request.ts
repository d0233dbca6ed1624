// A request of version 2: which command it is, and what it says of the client.
//
//   command=NAME
//   CAPABILITY[=VALUE] …      agent, object-format, server-option, session-id
//   0001
//   arguments of the command …
//   0000

import { RefError } from '../errors.ts';
import { encodePacket, type PktLineReader, textOf } from './pkt-line.ts';
import type { ServedRepository } from './served-repository.ts';

export type CommandRequest =
  /** The client has no more requests. */
  | { kind: 'none' }
  /** The arguments come next; where there are none, the flush was read. */
  | { kind: 'ls-refs'; hasArguments: boolean }
  /** Nothing that we know: what Git would say, and all of the request that was read. */
  | { kind: 'other'; command: string | undefined; complaint: string; read: Uint8Array[] };

/** So much of a request is kept in case that somebody else has to answer it, bytes. */
const MOST_KEPT = 64 * 1024;

/** Reads a request up to its arguments. Throws `PROTOCOL`, in Git's words. */
export async function readCommandRequest(
  reader: PktLineReader,
  repository: Pick<ServedRepository, 'objectFormat' | 'advertisesSession'>,
): Promise<CommandRequest> {
  let packet = await reader.readOrEnd();
  if (packet === undefined) return { kind: 'none' };
  const keys = new Keys(repository.advertisesSession);
  const read: Uint8Array[] = [];
  let length = 0;
  for (; packet instanceof Uint8Array; packet = await reader.read()) {
    read.push(encodePacket(packet));
    length += packet.length;
    const complaint = length > MOST_KEPT ? 'too many capabilities' : keys.take(textOf(packet));
    if (complaint !== undefined) {
      return { kind: 'other', command: keys.unknownCommand, complaint, read };
    }
  }
  if (packet === 'response end') throw refused('unexpected response end packet');
  if (packet === 'flush' && read.length === 0) return { kind: 'none' };
  if (keys.command === undefined) throw refused('no command requested');
  if (keys.objectFormat !== repository.objectFormat) {
    const formats = `server ${repository.objectFormat}; client ${keys.objectFormat}`;
    throw refused(`mismatched object format: ${formats}`);
  }
  return { kind: 'ls-refs', hasArguments: packet === 'delimiter' };
}

function refused(message: string): RefError {
  return new RefError('PROTOCOL', message);
}

class Keys {
  command: 'ls-refs' | undefined;
  unknownCommand: string | undefined;
  objectFormat = 'sha1';
  readonly #mayTellSession: boolean;

  constructor(mayTellSession: boolean) {
    this.#mayTellSession = mayTellSession;
  }

  /** Takes one line; what Git would say to it if it is not one that we know. */
  take(line: string): string | undefined {
    const [, key = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(line)!;
    switch (key) {
      case 'command':
        return value === undefined ? `unknown capability '${line}'` : this.#takeCommand(value);
      case 'object-format':
        if (value === undefined) return 'object-format capability requires an argument';
        if (value !== 'sha1' && value !== 'sha256') return `unknown object format '${value}'`;
        this.objectFormat = value;
        return undefined;
      case 'agent':
      case 'server-option':
        return undefined;
      default:
        if (key === 'session-id' && this.#mayTellSession) return undefined;
        return `unknown capability '${line}'`;
    }
  }

  #takeCommand(name: string): string | undefined {
    if (this.command !== undefined) {
      return `command '${name}' requested after already requesting command '${this.command}'`;
    }
    if (name === 'ls-refs') {
      this.command = name;
      return undefined;
    }
    this.unknownCommand = name;
    return `invalid command '${name}'`;
  }
}
