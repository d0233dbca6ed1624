// A reflog as the text that the files format has in `logs/`, oldest entry first:
//
//   old-id SP new-id SP name SP <email> SP seconds SP zone TAB message LF

import type { Identity } from '../reflog/identity.ts';
import type { ReflogEntry, ReflogWriting } from '../refs/ref-store.ts';

/** isomorphic-git writes addresses without their brackets. */
const LINE =
  /^([0-9a-f]+) ([0-9a-f]+) (.*?) ?<?([^<> ]*)>? ([0-9]+) ([+-])([0-9]{2})([0-9]{2})(?:\t(.*))?$/;

export function formatReflog(entries: Iterable<ReflogEntry>): string {
  let text = '';
  for (const { oldOid, newOid, committer, message } of entries) {
    text += `${oldOid} ${newOid} ${formatIdentity(committer)}\t${message}\n`;
  }
  return text;
}

function formatIdentity({ name, email, time, timezone }: Identity): string {
  const minutes = Math.abs(timezone);
  const two = (value: number) => String(value).padStart(2, '0');
  const zone = `${timezone < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
  return `${name} <${email}> ${time} ${zone}`;
}

/** The entries that a text holds; `undefined` if a line of it is none. */
export function parseReflog(text: string): Required<ReflogWriting>[] | undefined {
  const entries: Required<ReflogWriting>[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, oldOid, newOid, name, email, seconds, sign, hours, minutes, message] =
      LINE.exec(line) ?? [];
    if (oldOid === undefined) return undefined;
    const timezone = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
    const committer = { name: name!, email: email!, time: Number(seconds), timezone };
    entries.push({ oldOid, newOid: newOid!, committer, message: message ?? '' });
  }
  return entries;
}
