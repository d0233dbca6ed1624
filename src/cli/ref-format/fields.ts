// The fields of a format, `%(refname:short)` or `%(*objecttype)`: what each says for a ref, what it needs
// for that, and how it is sorted by.

import { die } from '../failure.ts';
import { writeError } from '../output.ts';
import { parseAlignment } from './alignment.ts';
import { colorSequence } from './color.ts';
import type { FieldContext } from './field-context.ts';
import { historyField } from './history-fields.ts';
import type { Condition, LineBuilder } from './line-builder.ts';
import type { ListedRef } from './listed-ref.ts';
import { namePresentation } from './name-presentation.ts';
import type { ObjectFacts, ObjectField, ObjectNeed } from './object-facts.ts';
import { type OidPresentation, objectField, refuseTrailers } from './object-fields.ts';

/** One field, of a format or to sort by. */
export interface Field {
  /** As it is written between the parentheses. */
  readonly spec: string;
  /** Whether it asks about what an annotated tag comes down to (`*`). */
  readonly peels: boolean;
  /** What it needs of the object that it asks about. */
  readonly needs: ObjectNeed;
  /** Finds out, before any of the others is asked, what the ref's history tells. */
  readonly prepare?: ((ref: ListedRef) => Promise<void>) | undefined;
  /** Byte text. */
  text(ref: ListedRef): string;
  /** What it is sorted by, where that is a number. */
  readonly number?: ((ref: ListedRef) => number) | undefined;
  /** What it does to the line, where that is not to add its text. */
  readonly act?: ((line: LineBuilder) => void) | undefined;
}

/** Fields that Git has, and whose answer lies where this program does not look. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  deltabase: 'it takes the inside of packs',
  describe: 'git describe tells it',
  'is-base': 'it takes a walk through the history',
  signature: 'it takes checking a signature',
};

/** Reads one field. Dies in Git's words for what is none. */
export function parseField(spec: string, context: FieldContext): Field {
  const peels = spec.startsWith('*');
  const plain = peels ? spec.slice(1) : spec;
  if (plain === '') die(`malformed field name: ${spec}`);
  const colon = plain.indexOf(':');
  const name = colon === -1 ? plain : plain.slice(0, colon);
  // An empty argument is none.
  const argument = colon === -1 ? undefined : plain.slice(colon + 1) || undefined;
  const field = { spec, peels, needs: 'nothing' } as const;

  const act = blockAction(name, argument);
  if (act !== undefined) return { ...field, text: () => argument ?? '', act };
  const star = peels ? '*' : '';
  const ofRef = refField(spec, name, star, argument, context);
  if (ofRef !== undefined) return { ...field, text: ofRef };
  const ofHistory = historyField(name, star, argument, context);
  if (ofHistory !== undefined) return { ...field, ...ofHistory };
  const oids = () => oidPresentation(spec, star + name, argument, context);
  const ofHeader = headerField(name, argument, oids);
  const object = ofHeader ?? objectField(name, argument, oids);
  if (object !== undefined) {
    const { text, number } = object;
    const about = peels ? (ref: ListedRef) => ref.peeledObject : (ref: ListedRef) => ref.object;
    return {
      spec,
      peels,
      needs: ofHeader === undefined ? 'content' : 'header',
      text: (ref) => answer(text, about(ref), ''),
      number: number && ((ref) => answer(number, about(ref), 0)),
    };
  }
  if (name === 'trailers') refuseTrailers();
  if (Object.hasOwn(ELSEWHERE, name)) die(`%(${name}) is not supported: ${ELSEWHERE[name]}`);
  die(`unknown field name: ${spec}`);
}

function answer<T>(value: (object: ObjectFacts) => T, object: ObjectFacts | undefined, none: T): T {
  return object === undefined ? none : value(object);
}

/** What opens, divides or ends a block. */
function blockAction(
  name: string,
  argument: string | undefined,
): ((line: LineBuilder) => void) | undefined {
  switch (name) {
    case 'align': {
      const alignment = parseAlignment(argument);
      return (line) => line.openAlign(alignment);
    }
    case 'if': {
      const condition = parseCondition(argument);
      return (line) => line.openIf(condition);
    }
    case 'then':
      return (line) => line.beginThen();
    case 'else':
      return (line) => line.beginElse();
    case 'end':
      return (line) => line.end();
  }
  return undefined;
}

function parseCondition(argument: string | undefined): Condition {
  if (argument === undefined) return { comparison: 'not blank', expected: '' };
  const [, not, expected] = /^(not)?equals=(.*)$/s.exec(argument) ?? [];
  if (expected === undefined) die(`unrecognized %(if) argument: ${argument}`);
  return { comparison: not === undefined ? 'equals' : 'not equals', expected };
}

/** What a ref alone, or the repository around it, tells. `star` is `*` where the field begins so. */
function refField(
  spec: string,
  name: string,
  star: string,
  argument: string | undefined,
  context: FieldContext,
): ((ref: ListedRef) => string) | undefined {
  const suffix = star === '' ? '' : '^{}';
  switch (name) {
    case 'refname': {
      const present = namePresentation(star + name, argument, context.shorten);
      return (ref) => present(ref.name) + suffix;
    }
    case 'symref': {
      const present = namePresentation(star + name, argument, context.shorten);
      return ({ symref }) => (symref === undefined ? '' : present(symref)) + suffix;
    }
    case 'objectname': {
      if (star !== '') return undefined;
      const present = oidPresentation(spec, name, argument, context);
      return (ref) => present(ref.oid);
    }
    case 'HEAD': {
      if (argument !== undefined) die('%(HEAD) does not take arguments');
      const head = context.headName();
      return (ref) => (ref.name === head ? '*' : ' ');
    }
    case 'color': {
      if (argument === undefined) die('expected format: %(color:<color>)');
      const sequence = colorSequence(argument);
      if (sequence === undefined) {
        writeError(`error: invalid color value: ${argument}\n`);
        die(`unrecognized color: %(color:${argument})`);
      }
      return () => (context.usesColor ? sequence : '');
    }
    case 'flag':
      return ({ symref }) => (symref === undefined ? '' : 'symref');
    case 'worktreepath':
      return (ref) => (ref.name.startsWith('refs/heads/') ? context.worktreePath(ref.name) : '');
    case 'rest':
      if (argument !== undefined) die('%(rest) does not take arguments');
      return () => '';
  }
  return undefined;
}

function headerField(
  name: string,
  argument: string | undefined,
  oids: () => OidPresentation,
): ObjectField | undefined {
  switch (name) {
    case 'objecttype':
      if (argument !== undefined) die('%(objecttype) does not take arguments');
      return { text: ({ type }) => type };
    case 'objectsize':
      if (argument === 'disk')
        die('%(objectsize:disk) is not supported: it takes the inside of packs');
      if (argument !== undefined) die(`unrecognized %(objectsize) argument: ${argument}`);
      return { text: ({ size }) => String(size), number: ({ size }) => size };
    case 'objectname': {
      const present = oids();
      return { text: ({ oid }) => present(oid) };
    }
  }
  return undefined;
}

/** How a field shows object ids: whole, `short`, or `short=8`. */
function oidPresentation(
  spec: string,
  name: string,
  argument: string | undefined,
  context: FieldContext,
): OidPresentation {
  if (argument === undefined) return (oid) => oid;
  if (argument === 'short') return (oid) => context.abbreviate(oid, undefined);
  const digits = /^short=(.*)$/s.exec(argument)?.[1];
  if (digits === undefined) die(`unrecognized %(${name}) argument: ${argument}`);
  const count = /^\s*\+?\d+$/.test(digits) ? Number(digits) : 0;
  if (count === 0 || count >= 2 ** 32) die(`positive value expected '${digits}' in %(${spec})`);
  return (oid) => context.abbreviate(oid, count);
}
