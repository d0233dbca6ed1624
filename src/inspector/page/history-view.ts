// One ref through the tables: what each says of it, the newest first.

import type { StackOutline, TableHistory } from '../inspection.ts';
import { count, element, updates } from './elements.ts';
import { logCells, refCells } from './record-cells.ts';

/** So many entries of a log are shown. */
const MAX_ENTRIES = 500;

export function drawHistory(list: HTMLElement, stack: StackOutline, tables: TableHistory[]): void {
  let isDecided = false;
  list.replaceChildren(
    ...tables.map(({ table, ref, log }) => {
      const outline = stack.tables[table]!;
      const item = element('li', {});
      const head = `Updates ${updates(outline.minUpdateIndex, outline.maxUpdateIndex)}`;
      item.append(element('h3', { title: outline.name }, head));
      if (ref !== undefined) {
        const [, value, index] = refCells(ref);
        const line = element(
          'p',
          { class: isDecided ? 'hidden-value' : 'value' },
          value!,
          ' ',
          index!,
        );
        line.append(
          element(
            'span',
            { class: 'note' },
            isDecided ? ' hidden by a newer table' : ' what counts',
          ),
        );
        item.append(line);
        isDecided = true;
      }
      if (log.length > 0) item.append(logOf(log.slice(0, MAX_ENTRIES)));
      if (log.length > MAX_ENTRIES) {
        item.append(
          element('p', { class: 'note' }, `and ${count(log.length - MAX_ENTRIES)} older ones`),
        );
      }
      return item;
    }),
  );
}

function logOf(log: TableHistory['log']): HTMLElement {
  const rows = log.map(({ entry }) =>
    element('tr', {}, ...logCells(entry).map((cell) => element('td', {}, cell))),
  );
  return element('table', { class: 'log' }, element('tbody', {}, ...rows));
}
