// The cells that show a record of any kind.

import type { LogEntry, RefRecord } from '../../format/records.ts';
import type { RecordRow } from '../../table/record-rows.ts';
import { count, element } from './elements.ts';

/** Digits of an object id that are shown; the rest is in the title. */
const DIGITS = 12;

export function refCells({ name, oid, peeled, target, updateIndex }: RefRecord): Node[] {
  return [nameCell(name), valueCell(oid, target, peeled), indexCell(updateIndex)];
}

export function recordCells(row: RecordRow): Node[] {
  switch (row.type) {
    case 'ref':
      return refCells(row);
    case 'log':
      return [nameCell(row.name), ...logCells(row.entry), indexCell(row.updateIndex)];
    case 'object': {
      const blocks = row.refBlocks?.map(count).join(', ') ?? 'too many to list';
      return [nameCell(row.oidPrefix), text(`ref blocks at ${blocks}`)];
    }
    case 'index':
      return [nameCell(row.lastKey), text(`block at ${count(row.block)}`)];
  }
}

/** What a log entry changed, when, by whom and why. */
export function logCells(entry: LogEntry | undefined): Node[] {
  if (entry === undefined) return [element('em', { class: 'gone' }, 'deleted')];
  const { oldOid, newOid, time, timezone, committerName, email, message } = entry;
  const change = element('span', { class: 'mono', title: `${oldOid} → ${newOid}` });
  change.append(`${shortOid(oldOid)} → ${shortOid(newOid)}`);
  const who = element(
    'span',
    { class: 'quiet', title: `${committerName} <${email}>` },
    committerName,
  );
  return [change, text(message.trimEnd() || '(no message)'), who, text(dateText(time, timezone))];
}

function nameCell(name: string): Node {
  return element('span', { class: 'name', title: name }, name);
}

function valueCell(oid?: string, target?: string, peeled?: string): Node {
  if (target !== undefined) return element('span', { class: 'mono', title: target }, `→ ${target}`);
  if (oid === undefined) return element('em', { class: 'gone' }, 'deleted');
  const title = peeled === undefined ? oid : `${oid}, a tag of ${peeled}`;
  const suffix = peeled === undefined ? '' : ` ^ ${peeled.slice(0, DIGITS)}`;
  return element('span', { class: 'mono', title }, `${oid.slice(0, DIGITS)}${suffix}`);
}

function indexCell(updateIndex: number): Node {
  return element(
    'span',
    { class: 'quiet number', title: 'update index' },
    `@${count(updateIndex)}`,
  );
}

function shortOid(oid: string): string {
  return /^0*$/.test(oid) ? 'nothing' : oid.slice(0, 7);
}

/** A time as its committer's clock showed it. `timezone` is what `±hhmm` reads as. */
function dateText(time: number, timezone: number): string {
  const minutes = Math.trunc(timezone / 100) * 60 + (timezone % 100);
  const local = new Date((time + minutes * 60) * 1000);
  return Number.isNaN(local.getTime())
    ? `${time}`
    : local.toISOString().slice(0, 16).replace('T', ' ');
}

function text(content: string): Node {
  return element('span', { title: content }, content);
}
