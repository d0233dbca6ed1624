// What a commit points at: the first lines of its content,
//
//   tree OID LF
//   parent OID LF      for each parent

import { isOid, type ObjectFormat } from '../format/object-format.ts';

export interface CommitLinks {
  readonly tree: string;
  readonly parents: readonly string[];
}

/** The links, ids in lower-case hex; or, as text, what Git calls the part of the content that is not as it should be. */
export function parseCommitLinks(
  content: Uint8Array,
  objectFormat: ObjectFormat,
): CommitLinks | 'bogus commit object' | 'bad tree pointer in commit' | 'bad parents in commit' {
  const digits = objectFormat === 'sha1' ? 40 : 64;
  const textAt = (start: number, length: number) =>
    Buffer.from(content.buffer, content.byteOffset + start, length).toString('latin1');
  const treeLine = 'tree '.length + digits + 1;
  if (content.length <= treeLine) return 'bogus commit object';
  const first = textAt(0, treeLine);
  if (!first.startsWith('tree ') || !first.endsWith('\n')) return 'bogus commit object';
  const tree = first.slice('tree '.length, -1).toLowerCase();
  if (!isOid(tree, objectFormat)) return 'bad tree pointer in commit';
  const parents: string[] = [];
  const parentLine = 'parent '.length + digits + 1;
  for (let at = treeLine; at + parentLine <= content.length; at += parentLine) {
    const line = textAt(at, parentLine);
    if (!line.startsWith('parent ')) break;
    const parent = line.slice('parent '.length, -1).toLowerCase();
    const isWhole = line.endsWith('\n') && at + parentLine < content.length;
    if (!isWhole || !isOid(parent, objectFormat)) return 'bad parents in commit';
    parents.push(parent);
  }
  return { tree, parents };
}
