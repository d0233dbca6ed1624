// The stack drawn to scale: a bar a table, oldest first, and which of them compaction would merge.

import type { ShownTable, StackOutline } from '../inspection.ts';
import { count, element, plural, size, updates } from './elements.ts';

/** Draws the stack into `figure`; `choose` is called with a table's number. */
export function drawStack(
  figure: HTMLElement,
  outline: StackOutline,
  choose: (table: number) => void,
): void {
  const largest = Math.max(...outline.tables.map((table) => table.size));
  const rows = outline.tables.map((table, number) => {
    const bar = element('span', { class: 'size-bar' });
    bar.style.inlineSize = `max(2px, ${(100 * table.size) / largest}%)`;
    const button = element('button', { type: 'button', class: 'link mono', 'data-table': number });
    button.append(updates(table.minUpdateIndex, table.maxUpdateIndex));
    button.title = table.name;
    const row = element(
      'tr',
      { class: isDue(outline, number) ? 'due' : '', 'data-table': number },
      element('th', { scope: 'row' }, button),
      element('td', { class: 'number' }, size(table.size)),
      element('td', { class: 'scale' }, bar),
      element('td', { class: 'number' }, ratio(table, outline.geometricFactor)),
      element('td', { class: 'number' }, records(table.refs, table.deletedRefs)),
      element('td', { class: 'number' }, records(table.logEntries, table.deletedLogEntries)),
    );
    row.addEventListener('click', () => choose(number));
    return row;
  });
  const heads = ['Updates', 'Size', '', '× next', 'Refs', 'Log'];
  const head = heads.map((text) => element('th', { scope: 'col' }, text));
  figure.replaceChildren(
    element(
      'table',
      { class: 'figure' },
      element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...rows),
    ),
  );
}

/** Marks the table that is shown. */
export function markTable(figure: HTMLElement, number: number): void {
  for (const row of figure.querySelectorAll<HTMLElement>('tbody tr')) {
    row.toggleAttribute('aria-current', Number(row.dataset.table) === number);
  }
}

/** What compaction would do next, in words. */
export function verdict({ tables, dueSegment, geometricFactor }: StackOutline): string {
  const rule = `at least ${geometricFactor} times the size of the next, newer one`;
  if (tables.length < 2) return 'One table: there is nothing to merge.';
  if (dueSegment === undefined) return `Nothing to merge: every table is ${rule}.`;
  const { first, last } = dueSegment;
  const merged = tables.slice(first, last + 1);
  const bytes = merged.reduce((sum, table) => sum + table.size, 0);
  const range = updates(merged[0]!.minUpdateIndex, merged.at(-1)!.maxUpdateIndex);
  const which =
    merged.length === tables.length ? `all ${merged.length}` : `the ${merged.length} marked`;
  const drops = first === 0 ? ' Deletions are dropped, as nothing older is left.' : '';
  return `Next, compaction merges ${which} tables into one of about ${size(bytes)} (updates ${range}), because not each is ${rule}.${drops}`;
}

function isDue({ dueSegment }: StackOutline, number: number): boolean {
  return dueSegment !== undefined && number >= dueSegment.first && number <= dueSegment.last;
}

function ratio({ ratioToNext }: ShownTable, factor: number): Node | string {
  if (ratioToNext === undefined) return '';
  const text = ratioToNext < 99.95 ? ratioToNext.toFixed(1) : count(Math.round(ratioToNext));
  if (ratioToNext >= factor) return text;
  const title = `less than ${factor} times as large as the next one`;
  return element('span', { class: 'too-small', title }, `${text} !`);
}

function records(live: number, deleted: number): Node | string {
  if (deleted === 0) return count(live);
  const title = plural(deleted, 'deletion');
  return element(
    'span',
    {},
    count(live),
    ' ',
    element('span', { class: 'gone', title }, `−${count(deleted)}`),
  );
}
