// The fields that come from the content of a commit or a tag: what each says for an object, empty where it
// does not apply. Everything is byte text.

import { die } from '../failure.ts';
import { firstLines, messageParts, oneLine, sanitized } from './message.ts';
import type { ObjectField } from './object-facts.ts';
import { personField } from './person-fields.ts';

/** How an object id is shown (`short`, `short=8`). */
export type OidPresentation = (oid: string) => string;

/** The field of that name, `undefined` if there is none; dies in Git's words for arguments that are none. */
export function objectField(
  name: string,
  argument: string | undefined,
  oidPresentation: () => OidPresentation,
): ObjectField | undefined {
  switch (name) {
    case 'tree':
    case 'parent': {
      const showOid = oidPresentation();
      return ofCommit((content) => headers(content, name).map(showOid).join(' '));
    }
    case 'numparent':
      return {
        text: ({ type, content = '' }) =>
          type === 'commit' ? String(headers(content, 'parent').length) : '',
        number: ({ type, content = '' }) =>
          type === 'commit' ? headers(content, 'parent').length : 0,
      };
    case 'object':
    case 'type':
    case 'tag':
      return { text: (tag) => (tag.type === 'tag' ? (headers(tag.content!, name)[0] ?? '') : '') };
    case 'raw':
      return rawField(argument);
    case 'subject':
    case 'body':
    case 'contents':
      return messageField(name, argument);
  }
  return personField(name, argument);
}

function ofCommit(value: (content: string) => string): ObjectField {
  return { text: ({ type, content }) => (type === 'commit' ? value(content!) : '') };
}

/** The values of the header lines of that name. */
function headers(content: string, name: string): string[] {
  const end = content.indexOf('\n\n');
  const lines = (end === -1 ? content : content.slice(0, end)).split('\n');
  const start = `${name} `;
  return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
}

function rawField(argument: string | undefined): ObjectField {
  if (argument === undefined) return { text: ({ content }) => content! };
  if (argument !== 'size') die(`unrecognized %(raw) argument: ${argument}`);
  return { text: ({ size }) => String(size), number: ({ size }) => size };
}

function messageField(name: string, argument: string | undefined): ObjectField {
  const part = (value: (content: string) => string): ObjectField => ({
    text: ({ type, content }) => (type === 'commit' || type === 'tag' ? value(content!) : ''),
  });
  const subject = (content: string) => oneLine(messageParts(content).subject);
  switch (argument === undefined ? name : `${name}:${argument}`) {
    case 'subject':
    case 'contents:subject':
      return part(subject);
    case 'subject:sanitize':
      return part((content) => sanitized(messageParts(content).subject));
    case 'body':
      return part((content) => messageParts(content).body);
    case 'contents':
      return part((content) => messageParts(content).whole);
    case 'contents:body':
      return part((content) => messageParts(content).unsignedBody);
    case 'contents:signature':
      return part((content) => messageParts(content).signature);
    case 'contents:size': {
      const size = (content: string) => messageParts(content).whole.length;
      return {
        ...part((content) => String(size(content))),
        number: ({ type, content }) => (type === 'commit' || type === 'tag' ? size(content!) : 0),
      };
    }
  }
  if (name === 'body') die('%(body) does not take arguments');
  const lines = /^lines=(.*)$/s.exec(argument ?? '')?.[1];
  if (name === 'subject' || lines === undefined) {
    if (name === 'contents' && /^trailers(:|$)/.test(argument ?? '')) refuseTrailers();
    die(`unrecognized %(${name}) argument: ${argument}`);
  }
  if (!/^\s*\+?\d+$/.test(lines)) die(`positive value expected contents:lines=${lines}`);
  return part((content) => firstLines(messageParts(content).unsigned, Number(lines)));
}

export function refuseTrailers(): never {
  die('%(trailers) is not supported: git interpret-trailers reads them');
}
