// The formats of `for-each-ref`: text with `%(field)` for what is known of a ref, `%%` for a percent sign
// and `%xx` for the byte of two hex digits. Everything is byte text.

import { die, UsageError } from '../failure.ts';
import type { FieldContext } from './field-context.ts';
import { type Field, parseField } from './fields.ts';
import { LineBuilder } from './line-builder.ts';
import type { ListedRef } from './listed-ref.ts';
import type { ObjectNeed, ObjectNeeds } from './object-facts.ts';
import type { QuoteStyle } from './quoting.ts';

/** A format, taken apart. */
export interface Format {
  readonly parts: readonly (string | Field)[];
  readonly quoteStyle: QuoteStyle | undefined;
}

/** Takes a format apart. Throws and dies, in Git's words, for what is none. */
export function parseFormat(
  text: string,
  quoteStyle: QuoteStyle | undefined,
  context: FieldContext,
): Format {
  const parts: (string | Field)[] = [];
  let literal = '';
  let resets = false;
  const endLiteral = () => {
    if (literal !== '') parts.push(literal);
    literal = '';
  };
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('%(', at)) {
      const end = text.indexOf(')', at);
      if (end === -1) throw new UsageError(`malformed format string ${text.slice(at)}`);
      endLiteral();
      const spec = text.slice(at + 2, end);
      const field = parseField(spec, context);
      refuseMisfits(field, quoteStyle);
      parts.push(field);
      if (spec.startsWith('color:')) resets = spec !== 'color:reset';
      at = end + 1;
      continue;
    }
    const digits = /^%([0-9a-f]{2})/i.exec(text.slice(at, at + 3))?.[1];
    if (digits !== undefined) {
      literal += String.fromCharCode(Number.parseInt(digits, 16));
      at += 3;
    } else {
      literal += text[at];
      at += text.startsWith('%%', at) ? 2 : 1;
    }
  }
  endLiteral();
  // A colour that is left on would spill over to the next line.
  if (resets && context.usesColor) parts.push(parseField('color:reset', context));
  return { parts, quoteStyle };
}

function refuseMisfits({ spec }: Field, quoteStyle: QuoteStyle | undefined): void {
  if (/^\*?rest(?::|$)/.test(spec)) die(`this command reject atom %(${spec})`);
  if (quoteStyle !== undefined && quoteStyle !== 'perl' && /^\*?raw:?$/.test(spec)) {
    die(`--format=${spec} cannot be used with --python, --shell, --tcl`);
  }
}

/** What fields need of objects, all together. */
export function objectNeeds(fields: readonly Field[]): ObjectNeeds {
  const own = fields.filter(({ peels }) => !peels);
  const peeled = fields.filter(({ peels }) => peels);
  return {
    own: greatestNeed(own),
    peeled: peeled.length === 0 ? undefined : greatestNeed(peeled),
  };
}

function greatestNeed(fields: readonly Field[]): ObjectNeed {
  const needs = fields.map((field) => field.needs);
  if (needs.includes('content')) return 'content';
  return needs.includes('header') ? 'header' : 'nothing';
}

/** The fields of a format. */
export function fieldsOf({ parts }: Format): Field[] {
  return parts.filter((part) => typeof part !== 'string');
}

/** Gives a ref's line, without the line feed. Dies, in Git's words, where blocks do not fit together. */
export function lineFormatter({ parts, quoteStyle }: Format): (ref: ListedRef) => string {
  const line = new LineBuilder(quoteStyle);
  return (ref) => {
    for (const part of parts) {
      if (typeof part === 'string') line.addLiteral(part);
      else if (part.act !== undefined) part.act(line);
      else line.addValue(part.text(ref));
    }
    return line.finish();
  };
}
