// The fields that come from who wrote a commit or a tag, and when. Everything is byte text.

import { type DateFormat, dateFormat } from '../../reflog/date-format.ts';
import { die } from '../failure.ts';
import type { ObjectFacts, ObjectField } from './object-facts.ts';

/** Whose lines there are, and in which objects. */
const PERSONS: Readonly<Record<string, string>> = {
  author: 'commit',
  committer: 'commit',
  tagger: 'tag',
};

/** `authorname`, `taggerdate`, `creator` and so on; `undefined` for any other name. */
export function personField(name: string, argument: string | undefined): ObjectField | undefined {
  const [, who, what] = /^(author|committer|tagger|creator)(name|email|date)?$/.exec(name) ?? [];
  if (who === undefined || (who === 'creator' && what !== undefined && what !== 'date')) {
    return undefined;
  }
  const line = ({ type, content }: ObjectFacts): string | undefined => {
    const header = who !== 'creator' ? who : type === 'tag' ? 'tagger' : 'committer';
    return PERSONS[header] === type ? rest(content!, header) : undefined;
  };
  const value = (show: (line: string) => string): ObjectField => ({
    text: (object) => {
      const found = line(object);
      return found === undefined ? '' : show(found);
    },
  });
  switch (what) {
    case undefined:
      // As in Git, where only a creator may have an argument, and does not heed it.
      if (argument !== undefined && who !== 'creator') return { text: () => '' };
      return value((text) => text.slice(0, lineEnd(text)));
    case 'name':
      return value(namePresentation(name, argument));
    case 'email':
      return value(emailPresentation(name, argument));
    default: {
      const seconds = (object: ObjectFacts) => parseTime(line(object) ?? '')?.seconds ?? 0;
      let format: DateFormat | undefined;
      const field = value((text) => {
        const time = parseTime(text);
        // Read where there is a date to show, as in Git, and not before.
        format ??= dateFormat(argument);
        return time === undefined ? '' : format(time);
      });
      return { ...field, number: argument === undefined ? seconds : undefined };
    }
  }
}

/** The content from the value of that header line on; empty if there is none. */
function rest(content: string, header: string): string {
  const end = content.indexOf('\n\n');
  const at = `\n${content.slice(0, end === -1 ? undefined : end)}`.indexOf(`\n${header} `);
  return at === -1 ? '' : content.slice(at + header.length + 1);
}

function lineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end;
}

function namePresentation(name: string, argument: string | undefined): (line: string) => string {
  if (argument === 'mailmap') refuseMailmap(name);
  if (argument !== undefined) die(`unrecognized %(${name}) argument: ${argument}`);
  return (text) => {
    const line = text.slice(0, lineEnd(text));
    const end = line.indexOf(' <');
    return end === -1 ? '' : line.slice(0, end);
  };
}

function emailPresentation(name: string, argument: string | undefined): (line: string) => string {
  let trim = false;
  let localPart = false;
  for (let left = argument; left !== undefined && left !== ''; ) {
    const [, option, behind] = /^(trim|localpart|mailmap)(.*)$/s.exec(left) ?? [];
    if (option === undefined) die(`unrecognized %(${name}) argument: ${left}`);
    if (option === 'mailmap') refuseMailmap(name);
    if (option === 'trim') trim = true;
    else localPart = true;
    if (behind !== '' && !behind!.startsWith(',')) {
      die(`unrecognized %(${name}) argument: ${behind}`);
    }
    left = behind!.slice(1);
  }
  return (text) => {
    const start = text.indexOf('<');
    if (start === -1) return '';
    const at = localPart ? text.indexOf('@', start) : -1;
    const close = text.indexOf('>', start);
    if (at !== -1) return text.slice(start + 1, at);
    if (close === -1) return '';
    return trim || localPart ? text.slice(start + 1, close) : text.slice(start, close + 1);
  };
}

function refuseMailmap(name: string): never {
  die(`%(${name}:mailmap) is not supported: mail maps are not read`);
}

function parseTime(line: string): { seconds: number; hhmm: number } | undefined {
  const end = line.indexOf('> ');
  if (end === -1) return undefined;
  const [, seconds = '0', hhmm = '0'] =
    /^\s*([+-]?\d+)?(?:\s*([+-]?\d+))?/.exec(line.slice(end + 2)) ?? [];
  return { seconds: Number(seconds), hhmm: Number(hhmm) };
}
