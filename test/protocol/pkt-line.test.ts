// pkt-lines as they come, in pieces of any size, and as they are sent.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DELIMITER,
  FLUSH,
  type Packet,
  PktLineReader,
  pktLine,
  textOf,
} from '../../src/protocol/index.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncIterableIterator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What is read up to the end; payloads as they were when they were read. */
async function packetsOf(bytes: Uint8Array, pieceSize: number): Promise<Packet[]> {
  const reader = new PktLineReader(inPieces(bytes, pieceSize));
  const packets: Packet[] = [];
  for (;;) {
    const packet = await reader.readOrEnd();
    if (packet === undefined) return packets;
    packets.push(typeof packet === 'string' ? packet : Uint8Array.from(packet));
  }
}

const refused = (message: string) => expect.objectContaining({ code: 'PROTOCOL', message });

describe('a pkt-line', () => {
  it('is read as it was sent, however it was cut on its way', async () => {
    const isError = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').startsWith('ERR ');
    const packet = fc.oneof(
      fc.constantFrom<Packet>('flush', 'delimiter'),
      fc.uint8Array({ maxLength: 200 }).filter((bytes) => !isError(bytes)),
    );
    const encode = (one: Packet) => {
      if (one === 'flush') return FLUSH;
      return one === 'delimiter' ? DELIMITER : pktLine(one as Uint8Array);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(packet), fc.integer({ min: 1, max: 50 }), async (packets, size) => {
        const bytes = Uint8Array.from(Buffer.concat(packets.map(encode)));
        expect(await packetsOf(bytes, size)).toEqual(packets);
      }),
    );
  });

  it('holds at most 65,516 bytes, and three more from others', async () => {
    const longest = pktLine(new Uint8Array(65_516));
    expect(Buffer.from(longest.subarray(0, 4)).toString()).toBe('fff0');
    const lengths = async (bytes: Uint8Array) =>
      (await packetsOf(bytes, 1000)).map((packet) => packet.length);
    expect(await lengths(longest)).toEqual([65_516]);
    expect(() => pktLine(new Uint8Array(65_517))).toThrow(
      refused('protocol error: impossibly long line'),
    );
    const theirs = (length: string) =>
      Buffer.concat([Buffer.from(length), Buffer.alloc(Number.parseInt(length, 16) - 4)]);
    expect(await lengths(theirs('fff3'))).toEqual([65_519]);
    await expect(lengths(theirs('fff4'))).rejects.toEqual(
      refused('protocol error: bad line length 65520'),
    );
  });

  it('is found to be none before it has come whole', async () => {
    const reader = new PktLineReader(inPieces(Buffer.from('0006a\nffff'), 1));
    expect(textOf((await reader.read()) as Uint8Array)).toBe('a');
    await expect(reader.read()).rejects.toEqual(refused('protocol error: bad line length 65531'));
    let rest = '';
    for await (const piece of reader.rest()) rest += Buffer.from(piece).toString('latin1');
    expect(rest).toBe('ffff');
  });
});
