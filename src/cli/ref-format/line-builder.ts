// One ref's line while it is put together: `%(align)` and `%(if)` open a block whose text is gathered on
// its own until `%(end)` says what becomes of it. Text is byte text.

import { die } from '../failure.ts';
import { type Alignment, align } from './alignment.ts';
import { type QuoteStyle, quote } from './quoting.ts';

/** What the text behind `%(if)` has to be. */
export interface Condition {
  comparison: 'not blank' | 'equals' | 'not equals';
  expected: string;
}

/** An `%(if)` that was begun. */
interface Branching {
  condition: Condition;
  thenSeen: boolean;
  elseSeen: boolean;
  satisfied: boolean;
}

/** A stretch of text that is gathered on its own; the outermost is the line. */
interface Block {
  text: string;
  opener: { align: Alignment } | { branching: Branching } | undefined;
}

export class LineBuilder {
  readonly #style: QuoteStyle | undefined;
  #blocks: Block[] = [{ text: '', opener: undefined }];

  constructor(style: QuoteStyle | undefined) {
    this.#style = style;
  }

  addLiteral(text: string): void {
    this.#top.text += text;
  }

  /** Inside a block nothing is quoted: the block is, as a whole. */
  addValue(value: string): void {
    this.#top.text += this.#blocks.length === 1 ? quote(value, this.#style) : value;
  }

  openAlign(alignment: Alignment): void {
    this.#blocks.push({ text: '', opener: { align: alignment } });
  }

  openIf(condition: Condition): void {
    const branching = { condition, thenSeen: false, elseSeen: false, satisfied: false };
    this.#blocks.push({ text: '', opener: { branching } });
  }

  beginThen(): void {
    const branching = this.#branching;
    if (branching === undefined) die('format: %(then) atom used without a %(if) atom');
    if (branching.thenSeen) die('format: %(then) atom used more than once');
    branching.thenSeen = true;
    branching.satisfied = isSatisfied(branching.condition, this.#top.text);
    this.#top.text = '';
  }

  beginElse(): void {
    const branching = this.#branching;
    if (branching === undefined) die('format: %(else) atom used without a %(if) atom');
    if (!branching.thenSeen) die('format: %(else) atom used without a %(then) atom');
    if (branching.elseSeen) die('format: %(else) atom used more than once');
    branching.elseSeen = true;
    this.#blocks.push({ text: '', opener: { branching } });
  }

  end(): void {
    const { text, opener } = this.#top;
    if (opener === undefined) die('format: %(end) atom used without corresponding atom');
    this.#blocks.pop();
    let result = text;
    if ('align' in opener) {
      result = align(text, opener.align);
    } else {
      const { thenSeen, elseSeen, satisfied } = opener.branching;
      if (!thenSeen) die('format: %(if) atom used without a %(then) atom');
      if (elseSeen) {
        const ifThen = this.#blocks.pop()!;
        if (satisfied) result = ifThen.text;
      } else if (!satisfied) {
        result = '';
      }
    }
    this.addValue(result);
  }

  /** The line, and a fresh start. */
  finish(): string {
    if (this.#blocks.length > 1) die('format: %(end) atom missing');
    const { text } = this.#top;
    this.#top.text = '';
    return text;
  }

  get #top(): Block {
    return this.#blocks.at(-1)!;
  }

  /** The `%(if)` whose block is the innermost. */
  get #branching(): Branching | undefined {
    const { opener } = this.#top;
    return opener !== undefined && 'branching' in opener ? opener.branching : undefined;
  }
}

function isSatisfied({ comparison, expected }: Condition, text: string): boolean {
  if (comparison === 'equals') return text === expected;
  if (comparison === 'not equals') return text !== expected;
  return /[^ \t\n\r]/.test(text);
}
