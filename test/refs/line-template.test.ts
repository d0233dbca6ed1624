// A line template writes the lines of many names that share an object, byte by byte what their parts say.

import { describe, expect, it } from 'vitest';
import { viewOf } from '../../src/format/bytes.ts';
import { encodeText } from '../../src/format/text.ts';
import { type LinePart, LineTemplate } from '../../src/refs/line-template.ts';

const OID = Uint8Array.from({ length: 20 }, (_, i) => 13 * i);
const HEX = Buffer.from(OID).toString('hex');

/** The line of a name, written behind three bytes that must stay. */
function lineOf(template: LineTemplate, name: string): string {
  const keys = encodeText(`before ${name} behind`);
  const length = template.lineLength(encodeText(name).length);
  const buffer = Buffer.alloc(length + 6, '.');
  const end = template.write(viewOf(keys), 7, keys.length - 7, viewOf(buffer), 3);
  expect(end).toBe(3 + length);
  expect(buffer.toString('utf8', 0, 3) + buffer.toString('utf8', end)).toBe('......');
  return buffer.toString('utf8', 3, end);
}

describe('a line template', () => {
  const comma = encodeText(', ');
  const cases: [parts: LinePart[], line: (name: string) => string][] = [
    [['name'], (name) => name],
    [['oid', comma, 'name', encodeText('\n')], (name) => `${HEX}, ${name}\n`],
    [['name', 'name', comma, 'type', 'name'], (name) => `${name}${name}, commit${name}`],
    [['type', comma, 'oid'], () => `commit, ${HEX}`],
    [[], () => ''],
  ];

  it.each(cases)('of %o writes that', (parts, line) => {
    const template = new LineTemplate(parts, OID.length);
    template.set(Buffer.concat([Buffer.from('x'), OID]), 1, encodeText('commit'));
    for (const name of ['a', 'HEAD', 'refs/heads/main', 'refs/heads/日本語', '']) {
      expect(lineOf(template, name)).toBe(line(name));
    }
  });

  it('is set anew for another object, whose type may be shorter', () => {
    const template = new LineTemplate(['type', comma, 'name', comma, 'oid'], OID.length);
    template.set(OID, 0, encodeText('commit'));
    template.set(new Uint8Array(20), 0, encodeText('tag'));
    expect(lineOf(template, 'x')).toBe(`tag, x, ${'00'.repeat(20)}`);
  });
});
