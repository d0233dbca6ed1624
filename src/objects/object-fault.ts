// What is wrong with the content of a commit or a tag, as far as Git looks at it where an object is used.

import type { ObjectFormat } from '../format/object-format.ts';
import { parseCommitLinks } from './commit-links.ts';
import type { GitObject } from './object-source.ts';

const TAG = /^object ([0-9a-fA-F]+)\ntype ([^\n]{0,19})\n(tag [^\n]*\n)?/;
/** All that is in a tag but hex digits and a message, at least; bytes. */
const TAG_SIZE = 24;

/** In Git's words, empty where it has none; `undefined` if nothing is wrong. */
export function objectFault(
  oid: string,
  { type, content }: GitObject,
  objectFormat: ObjectFormat,
): string | undefined {
  if (type === 'commit') {
    const links = parseCommitLinks(content, objectFormat);
    return typeof links === 'string' ? `${links} ${oid}` : undefined;
  }
  if (type !== 'tag') return undefined;
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  const [, target, named = '', name] = TAG.exec(text) ?? [];
  if (target?.length !== oid.length || text.length < oid.length + TAG_SIZE) return '';
  if (!/^(?:blob|commit|tag|tree)$/.test(named)) return `unknown tag type '${named}' in ${oid}`;
  return name === undefined ? '' : undefined;
}
