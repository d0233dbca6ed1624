// The page: what is open, which table and which records of it are shown, and what the user asks for.

import type { BlockKind } from '../../table/table-outline.ts';
import type { StackOutline } from '../inspection.ts';
import { BlockMap } from './block-map.ts';
import { byId, count, element, plural, size, updates } from './elements.ts';
import { drawHistory } from './history-view.ts';
import { Reader } from './reader.ts';
import { recordCells, refCells } from './record-cells.ts';
import { drawStack, markTable, verdict } from './stack-figure.ts';
import { droppedStack, filesOf, type OpenedStack, servedStack } from './tables-source.ts';
import { chooseTheme } from './theme.ts';
import { type ListContent, VirtualList } from './virtual-list.ts';

const KINDS: readonly BlockKind[] = ['ref', 'log', 'object', 'index'];

const list = new VirtualList<unknown>(byId('list'));
const map = new BlockMap(byId<HTMLCanvasElement>('blocks'), byId('block'));
const text = byId<HTMLInputElement>('text');

let reader: Reader | undefined;
let stack: StackOutline | undefined;
let shownTable = 0;

/** Shows a stack in place of what was open; where it cannot be read, that stays. */
async function open(opening: Promise<OpenedStack | undefined>): Promise<void> {
  const next = new Reader();
  try {
    say('Reading…');
    const opened = await opening;
    if (opened === undefined) {
      say('');
      next.close();
      return;
    }
    const outline = await next.ask('open', opened.files, opened.geometricFactor);
    reader?.close();
    reader = next;
    stack = outline;
    say('');
    showStack(opened.title, outline);
  } catch (error) {
    next.close();
    say(error instanceof Error ? error.message : String(error), true);
  }
}

function say(message: string, isError = false): void {
  const line = byId('message');
  line.textContent = message;
  line.hidden = message === '';
  line.classList.toggle('error', isError);
}

function showStack(title: string, outline: StackOutline): void {
  byId('empty').hidden = true;
  byId('stack').hidden = false;
  byId('title').textContent = title;
  document.title = `${title} · reftable inspector`;
  const bytes = outline.tables.reduce((sum, table) => sum + table.size, 0);
  byId('summary').textContent =
    `${plural(outline.tables.length, 'table')}, ${size(bytes)}, ${plural(outline.refs, 'ref')}`;
  byId('verdict').textContent = verdict(outline);
  byId('verdict').classList.toggle('due', outline.dueSegment !== undefined);
  drawStack(byId('figure'), outline, showTable);
  hideHistory();
  text.value = '';
  const largest = Math.max(...outline.tables.map((table) => table.size));
  showTable(outline.tables.findIndex((table) => table.size === largest));
  showRefs();
}

function showTable(number: number): void {
  const table = stack!.tables[number];
  if (table === undefined) return;
  shownTable = number;
  markTable(byId('figure'), number);
  byId('table-name').textContent = table.name;
  const facts: [string, string][] = [
    ['Updates', updates(table.minUpdateIndex, table.maxUpdateIndex)],
    ['Size', `${count(table.size)} bytes`],
    ['Format', `version ${table.version}, ${table.objectFormat === 'sha1' ? 'SHA-1' : 'SHA-256'}`],
    ['Blocks', table.blockSize === 0 ? 'not aligned' : `of ${count(table.blockSize)} bytes`],
  ];
  byId('facts').replaceChildren(
    ...facts.map(([term, value]) =>
      element('div', {}, element('dt', {}, term), element('dd', {}, value)),
    ),
  );
  const kinds = KINDS.filter((kind) => table.blocks.some((block) => block.kind === kind));
  byId('legend').replaceChildren(
    ...kinds.map((kind) => {
      const blocks = table.blocks.filter((block) => block.kind === kind);
      const bytes = blocks.reduce((sum, block) => sum + block.length, 0);
      const key = element('span', { class: `key ${kind}`, 'aria-hidden': 'true' });
      return element('span', {}, key, `${kind} ${size(bytes)}`);
    }),
  );
  map.show(table, (block) => showRecords([block], `block ${count(block + 1)}`));
  drawChoices(kinds);
}

/** The buttons that say which records the list shows. */
function drawChoices(kinds: readonly BlockKind[]): void {
  const { blocks } = stack!.tables[shownTable]!;
  const all = element('button', { type: 'button', 'data-choice': 'all' }, 'All refs, merged');
  all.addEventListener('click', () => {
    text.value = '';
    showRefs();
  });
  const ofTable = kinds.map((kind) => {
    const button = element(
      'button',
      { type: 'button', 'data-choice': kind },
      `This table: ${kind} records`,
    );
    button.addEventListener('click', () => {
      const numbers = blocks.flatMap((block, i) => (block.kind === kind ? [i] : []));
      showRecords(numbers, `${kind} records`);
      press(kind);
    });
    return button;
  });
  byId('choices').replaceChildren(all, ...ofTable);
}

function press(choice: string): void {
  for (const button of byId('choices').querySelectorAll<HTMLElement>('button')) {
    button.setAttribute('aria-pressed', `${button.dataset.choice === choice}`);
  }
}

function showRefs(): void {
  const total = stack!.refs;
  showList('Refs', `${plural(total, 'ref')}, all tables taken together`, {
    total,
    fetch: (start, number) => reader!.ask('refs', start, number),
    cells: refCells,
    choose: ({ name }) => showHistory(name),
  });
  press('all');
}

function showRecords(blocks: number[], what: string): void {
  const table = stack!.tables[shownTable]!;
  const number = shownTable;
  const total = blocks.reduce((sum, block) => sum + table.blocks[block]!.records, 0);
  showList(
    'Records',
    `${what} of the table of updates ${updates(table.minUpdateIndex, table.maxUpdateIndex)}`,
    {
      total,
      fetch: (start, length) => reader!.ask('records', number, blocks, start, length),
      cells: recordCells,
      choose: (row) => {
        if (row.type === 'ref' || row.type === 'log') showHistory(row.name);
      },
    },
  );
  press('');
}

async function find(): Promise<void> {
  const wanted = text.value;
  if (stack === undefined) return;
  if (wanted === '') return showRefs();
  const { rows, total } = await reader!.ask('find', wanted);
  // Typed on meanwhile.
  if (text.value !== wanted) return;
  const shown = total > rows.length ? `, the first ${count(rows.length)} shown` : '';
  showList('Found', `${plural(total, 'ref')}${shown}`, {
    total: rows.length,
    fetch: async (start, number) => rows.slice(start, start + number),
    cells: refCells,
    choose: ({ name }) => showHistory(name),
  });
  press('');
}

function showList<Row>(
  title: string,
  note: string,
  content: Omit<ListContent<Row>, 'label'>,
): void {
  byId('records-title').textContent = title;
  byId('records-note').textContent = note;
  list.show({ ...content, label: `${title}: ${note}` } as unknown as ListContent<unknown>);
}

async function showHistory(name: string): Promise<void> {
  const tables = await reader!.ask('history', name);
  byId('history-title').textContent = name;
  drawHistory(byId('history-tables'), stack!, tables);
  byId('history').hidden = false;
  byId('history-title').focus();
}

function hideHistory(): void {
  byId('history').hidden = true;
}

function listenForDrops(): void {
  const veil = byId('drop');
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    veil.hidden = false;
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) veil.hidden = true;
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    veil.hidden = true;
    const { dataTransfer } = event;
    if (dataTransfer !== null) void open(filesOf(dataTransfer).then(droppedStack));
  });
  const files = byId<HTMLInputElement>('files');
  files.addEventListener('change', () => {
    if (files.files !== null) void open(droppedStack([...files.files]));
    files.value = '';
  });
}

let asked: ReturnType<typeof setTimeout> | undefined;
text.addEventListener('input', () => {
  clearTimeout(asked);
  asked = setTimeout(() => void find(), 120);
});
byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  void find();
  byId('list').focus();
});
byId('close-history').addEventListener('click', () => {
  hideHistory();
  byId('list').focus();
});
document.addEventListener('keydown', (event) => {
  const isTyping = (event.target as HTMLElement).matches('input, select');
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    text.focus();
  } else if (event.key === 'Escape' && !byId('history').hidden) {
    hideHistory();
    byId('list').focus();
  }
});
chooseTheme(byId<HTMLSelectElement>('theme'), () => map.redraw());
listenForDrops();

const served = servedStack();
void open(served);
void served.then(
  (opened) => {
    byId('reload').hidden = opened === undefined;
  },
  () => {
    byId('reload').hidden = false;
  },
);
byId('reload').addEventListener('click', () => void open(servedStack()));
