// A list of any length, of which only the rows in view exist. Rows are asked for as they are scrolled to.

import { element } from './elements.ts';

/** px */
const ROW_HEIGHT = 28;

/** Browsers draw no element that is much taller, px: a longer list is scrolled in proportion. */
const MAX_HEIGHT = 8_000_000;

/** Rows are fetched by pages of so many. */
const PAGE = 128;

export interface ListContent<Row> {
  total: number;
  /** What the rows are, for who does not see them. */
  label: string;
  fetch(start: number, count: number): Promise<Row[]>;
  /** The cells of a row. */
  cells(row: Row): (Node | string)[];
  /** A row was chosen. */
  choose?: ((row: Row) => void) | undefined;
}

export class VirtualList<Row> {
  readonly #view: HTMLElement;
  readonly #spacer = element('div', { class: 'spacer' });
  readonly #rows = element('div', { class: 'rows' });
  #content: ListContent<Row> | undefined;
  #pages = new Map<number, Row[] | 'asked'>();
  /** The row that keys move, by its number. */
  #active = 0;
  /** Content that was replaced answers too late. */
  #generation = 0;

  constructor(view: HTMLElement) {
    this.#view = view;
    view.append(this.#spacer, this.#rows);
    view.addEventListener('scroll', () => this.#draw());
    view.addEventListener('keydown', (event) => this.#key(event));
    view.addEventListener('click', (event) => {
      const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
      if (row !== null) this.#chooseRow(Number(row.dataset.row));
    });
    new ResizeObserver(() => this.#draw()).observe(view);
  }

  show(content: ListContent<Row>): void {
    this.#content = content;
    this.#generation++;
    this.#pages = new Map();
    this.#active = 0;
    this.#view.setAttribute('aria-label', content.label);
    this.#view.setAttribute('aria-rowcount', `${content.total}`);
    this.#spacer.style.height = `${Math.min(content.total * ROW_HEIGHT, MAX_HEIGHT)}px`;
    this.#view.scrollTop = 0;
    this.#draw();
  }

  get #visible(): number {
    return Math.max(Math.floor(this.#view.clientHeight / ROW_HEIGHT), 1);
  }

  /** The first row in view, for where the list is scrolled to. */
  get #first(): number {
    const { total } = this.#content!;
    const range = this.#view.scrollHeight - this.#view.clientHeight;
    const last = Math.max(total - this.#visible, 0);
    return range <= 0 ? 0 : Math.round((this.#view.scrollTop / range) * last);
  }

  #draw(): void {
    const content = this.#content;
    if (content === undefined) return;
    const first = this.#first;
    const end = Math.min(first + this.#visible + 1, content.total);
    const drawn: HTMLElement[] = [];
    for (let i = first; i < end; i++) drawn.push(this.#rowElement(i, content));
    if (content.total === 0) drawn.push(element('p', { class: 'nothing' }, 'Nothing here.'));
    this.#rows.replaceChildren(...drawn);
    if (content.total > 0) this.#view.setAttribute('aria-activedescendant', `row-${this.#active}`);
    else this.#view.removeAttribute('aria-activedescendant');
  }

  #rowElement(i: number, content: ListContent<Row>): HTMLElement {
    const attributes = {
      role: 'row',
      class: 'row',
      id: `row-${i}`,
      'data-row': i,
      'aria-rowindex': i + 1,
      'aria-selected': `${i === this.#active}`,
    };
    const row = this.#row(i, content);
    const cells = row === undefined ? ['…'] : content.cells(row);
    return element(
      'div',
      attributes,
      ...cells.map((cell) => element('span', { role: 'gridcell', class: 'cell' }, cell)),
    );
  }

  #row(i: number, content: ListContent<Row>): Row | undefined {
    const page = Math.floor(i / PAGE);
    const known = this.#pages.get(page);
    if (known !== undefined) return known === 'asked' ? undefined : known[i - page * PAGE];
    this.#pages.set(page, 'asked');
    const generation = this.#generation;
    content.fetch(page * PAGE, PAGE).then(
      (rows) => {
        if (generation !== this.#generation) return;
        this.#pages.set(page, rows);
        this.#draw();
      },
      () => {},
    );
    return undefined;
  }

  #key(event: KeyboardEvent): void {
    const content = this.#content;
    if (content === undefined || content.total === 0) return;
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: this.#visible,
      PageUp: -this.#visible,
      Home: -content.total,
      End: content.total,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.#active = Math.min(Math.max(this.#active + step, 0), content.total - 1);
      this.#reveal();
    } else if (event.key === 'Enter') {
      this.#chooseRow(this.#active);
    }
  }

  /** Scrolls so that the active row is in view. */
  #reveal(): void {
    const { total } = this.#content!;
    const first = this.#first;
    const visible = this.#visible;
    const wanted =
      this.#active < first
        ? this.#active
        : this.#active >= first + visible
          ? this.#active - visible + 1
          : first;
    const range = this.#view.scrollHeight - this.#view.clientHeight;
    const last = Math.max(total - visible, 1);
    if (wanted !== first) this.#view.scrollTop = (wanted / last) * range;
    this.#draw();
  }

  #chooseRow(i: number): void {
    const content = this.#content!;
    this.#active = i;
    this.#draw();
    const row = this.#row(i, content);
    if (row !== undefined) content.choose?.(row);
  }
}
