// A table's blocks side by side, to scale: what it consists of, and where in the file.

import type { BlockOutline, TableOutline } from '../../table/table-outline.ts';
import { count, plural } from './elements.ts';

/** px */
const ROW_HEIGHT = 22;
const GAP = 3;
const MAX_ROWS = 6;

export class BlockMap {
  readonly #canvas: HTMLCanvasElement;
  readonly #note: HTMLElement;
  #table: TableOutline | undefined;
  #active = -1;
  #choose: (block: number) => void = () => {};

  constructor(canvas: HTMLCanvasElement, note: HTMLElement) {
    this.#canvas = canvas;
    this.#note = note;
    canvas.addEventListener('pointermove', (event) => this.#move(this.#blockAt(event)));
    canvas.addEventListener('click', (event) => {
      this.#move(this.#blockAt(event));
      this.#choose(this.#active);
    });
    canvas.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.redraw()).observe(canvas);
  }

  show(table: TableOutline, choose: (block: number) => void): void {
    this.#table = table;
    this.#choose = choose;
    this.#active = -1;
    this.#note.textContent = `${plural(table.blocks.length, 'block')}; point at one, or use the arrow keys.`;
    this.#canvas.setAttribute('aria-valuemin', '1');
    this.#canvas.setAttribute('aria-valuemax', `${table.blocks.length}`);
    this.redraw();
  }

  redraw(): void {
    const table = this.#table;
    if (table === undefined) return;
    const canvas = this.#canvas;
    const rows = this.#rows;
    canvas.style.blockSize = `${rows * (ROW_HEIGHT + GAP) - GAP}px`;
    const scale = devicePixelRatio;
    canvas.width = canvas.clientWidth * scale;
    canvas.height = canvas.clientHeight * scale;
    const context = canvas.getContext('2d')!;
    context.scale(scale, scale);
    const style = getComputedStyle(canvas);
    const colors: Record<BlockOutline['kind'], string> = {
      ref: style.getPropertyValue('--ref'),
      object: style.getPropertyValue('--object'),
      log: style.getPropertyValue('--log'),
      index: style.getPropertyValue('--index'),
    };
    const line = style.getPropertyValue('--surface');
    table.blocks.forEach((block, i) => {
      context.fillStyle =
        i === this.#active ? style.getPropertyValue('--text') : colors[block.kind];
      this.#pieces(block, (x, y, width) => {
        context.fillRect(x, y, width, ROW_HEIGHT);
        if (width < 5) return;
        context.save();
        context.fillStyle = line;
        context.fillRect(x + width - 1, y, 1, ROW_HEIGHT);
        context.restore();
      });
    });
  }

  /** A large table takes several rows. */
  get #rows(): number {
    const blocks = this.#table?.blocks.length ?? 0;
    return Math.min(Math.max(Math.ceil(blocks / 60), 1), MAX_ROWS);
  }

  /** Bytes that a row stands for. */
  get #bytesPerRow(): number {
    return this.#table!.size / this.#rows;
  }

  #pieces(block: BlockOutline, draw: (x: number, y: number, width: number) => void): void {
    const perRow = this.#bytesPerRow;
    const { clientWidth } = this.#canvas;
    const end = block.offset + block.length;
    for (let at = block.offset; at < end - 1e-6; ) {
      const row = Math.floor(at / perRow + 1e-9);
      const to = Math.min((row + 1) * perRow, end);
      const x = ((at - row * perRow) / perRow) * clientWidth;
      draw(x, row * (ROW_HEIGHT + GAP), ((to - at) / perRow) * clientWidth);
      at = to;
    }
  }

  #blockAt({ offsetX, offsetY }: MouseEvent): number {
    const table = this.#table;
    if (table === undefined) return -1;
    const row = Math.min(Math.floor(offsetY / (ROW_HEIGHT + GAP)), this.#rows - 1);
    const at = (row + offsetX / this.#canvas.clientWidth) * this.#bytesPerRow;
    const { blocks } = table;
    let low = 0;
    let high = blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (blocks[middle]!.offset <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #key(event: KeyboardEvent): void {
    const last = (this.#table?.blocks.length ?? 0) - 1;
    if (event.key === 'Enter' && this.#active >= 0) this.#choose(this.#active);
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.#move(Math.min(Math.max(this.#active + step, 0), last));
  }

  #move(block: number): void {
    const found = this.#table?.blocks[block];
    if (found === undefined || block === this.#active) return;
    this.#active = block;
    const text = `Block ${count(block + 1)} of ${count(this.#table!.blocks.length)}: ${found.kind}, ${plural(found.records, 'record')}, ${plural(found.length, 'byte')} at ${count(found.offset)}`;
    this.#note.textContent = text;
    this.#canvas.setAttribute('aria-valuenow', `${block + 1}`);
    this.#canvas.setAttribute('aria-valuetext', text);
    this.redraw();
  }
}
