// Options and operands in Git's style: long options that may be shortened to an unambiguous beginning
// or negated (`--no-x`), short ones that may be run together (`-dq`), values with `=`, as the next
// argument (`-m MSG`) or stuck on (`-mMSG`); options and operands in any order up to `--`.

import { Completion, HelpRequest, UsageError } from './failure.ts';

export interface OptionDefinition {
  /** One letter. */
  short?: string;
  /** What stands behind the option; `texts` may be given several times. Default: nothing. */
  takes?: 'nothing' | 'text' | 'texts' | 'optional text';
  /** What it takes where it is the last argument. */
  atEnd?: string;
  /** Only the short form exists. */
  hasNoLongForm?: boolean;
  /** There is no `--no-x`. */
  cannotBeNegated?: boolean;
}

/** The options of a command by their long names. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

type OptionValue<D extends OptionDefinition> = D['takes'] extends 'text'
  ? string
  : D['takes'] extends 'texts'
    ? string[]
    : D['takes'] extends 'optional text'
      ? string | true
      : boolean;

/**
 * What was given. Negated, one that takes nothing is `false`, and any other as if it had not been given
 * so far.
 */
export type OptionValues<D extends OptionDefinitions> = { [K in keyof D]?: OptionValue<D[K]> };

export interface ParsedArguments<D extends OptionDefinitions> {
  options: OptionValues<D>;
  operands: string[];
}

/** Throws `UsageError`, in Git's words, and `HelpRequest`. */
export function parseArguments<const D extends OptionDefinitions>(
  args: readonly string[],
  definitions: D,
): ParsedArguments<D> {
  const parser = new Parser(args, definitions);
  parser.parse();
  return { options: parser.options as OptionValues<D>, operands: parser.operands };
}

/**
 * The subcommand that stands first and what comes behind it. Throws `UsageError` where none of the names
 * does, and `HelpRequest`.
 */
export function parseSubcommand<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): { name: Name; rest: string[] } {
  const [first, ...rest] = args;
  if (first !== undefined && isOption(first)) {
    if (rest.length === 0 && first === COMPLETION_HELPER) throw new Completion(names.join(' '));
    parseArguments([first], {});
  }
  const isGiven = first !== undefined && first !== '--' && first !== '--end-of-options';
  if (!isGiven) throw new UsageError('need a subcommand');
  const name = names.find((each) => each === first);
  if (name === undefined) throw new UsageError(`unknown subcommand: \`${first}'`);
  return { name, rest };
}

/** What shells ask a command for, to complete its options. */
const COMPLETION_HELPER = '--git-completion-helper';

function isOption(arg: string): boolean {
  return arg.startsWith('-') && arg !== '-';
}

/** A long option as it was given: which one, and whether that negates it. */
interface LongOption {
  name: string;
  negated: boolean;
}

class Parser {
  readonly options: Record<string, string | string[] | boolean | undefined> = {};
  readonly operands: string[] = [];
  private readonly args: readonly string[];
  private readonly definitions: OptionDefinitions;
  private at = 0;

  constructor(args: readonly string[], definitions: OptionDefinitions) {
    this.args = args;
    this.definitions = definitions;
  }

  parse(): void {
    if (this.args.length === 1) {
      if (this.args[0] === '-h') throw new HelpRequest();
      if (this.args[0] === COMPLETION_HELPER) throw new Completion(this.spellings().join(' '));
    }
    while (this.at < this.args.length) {
      const arg = this.args[this.at++]!;
      if (arg === '--' || arg === '--end-of-options') {
        this.operands.push(...this.args.slice(this.at));
        return;
      }
      if (arg === '--help' || arg === '--help-all') throw new HelpRequest();
      if (arg.startsWith('--')) this.long(arg.slice(2));
      else if (isOption(arg)) this.short(arg);
      else this.operands.push(arg);
    }
  }

  /** All that may stand behind `--`; `=` ends what needs a value. */
  private spellings(): string[] {
    const plain: string[] = [];
    const negated: string[] = [];
    for (const [name, definition] of Object.entries(this.definitions)) {
      const { takes, hasNoLongForm, cannotBeNegated } = definition;
      if (hasNoLongForm === true) continue;
      plain.push(`--${name}${takes === 'text' || takes === 'texts' ? '=' : ''}`);
      if (cannotBeNegated !== true) negated.push(`--${negation(name)}`);
    }
    return [...plain, '--', ...negated];
  }

  private long(arg: string): void {
    const equals = arg.indexOf('=');
    const given = equals === -1 ? arg : arg.slice(0, equals);
    const value = equals === -1 ? undefined : arg.slice(equals + 1);
    const { name, negated } = this.find(given, arg);
    if (!negated) {
      this.set(name, `option \`${name}'`, value);
      return;
    }
    if (value !== undefined) throw plainError(`option \`no-${name}' takes no value`);
    const takesNothing = (this.definitions[name]!.takes ?? 'nothing') === 'nothing';
    this.options[name] = takesNothing ? false : undefined;
  }

  /** The option of that name, of a name that begins so, or whose negation this is. */
  private find(given: string, arg: string): LongOption {
    const candidates: (LongOption & { spelling: string })[] = [];
    for (const [name, { hasNoLongForm, cannotBeNegated }] of Object.entries(this.definitions)) {
      if (hasNoLongForm === true) continue;
      candidates.push({ name, negated: false, spelling: name });
      if (cannotBeNegated !== true) {
        candidates.push({ name, negated: true, spelling: negation(name) });
      }
    }
    const exact = candidates.find(({ spelling }) => spelling === given);
    if (exact !== undefined) return exact;
    const begun = candidates.filter(({ spelling }) => spelling.startsWith(given));
    const [other, last] = begun.slice(-2);
    if (other === undefined) throw new UsageError(`unknown option \`${arg}'`);
    if (last === undefined) return other;
    const [one, two] = [other, last].map(({ name, negated }) => `--${negated ? 'no-' : ''}${name}`);
    throw new UsageError(`ambiguous option: ${arg} (could be ${one} or ${two})`);
  }

  private short(arg: string): void {
    for (let i = 1; i < arg.length; i++) {
      const letter = arg[i]!;
      const [name, definition] =
        Object.entries(this.definitions).find(([, { short }]) => short === letter) ?? [];
      if (i === 2 || name === undefined) this.refuseLongName(arg.slice(1));
      if (name === undefined) {
        if (letter === 'h') throw new HelpRequest();
        if (letter > '\x7f') {
          throw new UsageError(`unknown non-ascii option in string: \`-${arg.slice(i)}'`);
        }
        throw new UsageError(`unknown switch \`${letter}'`);
      }
      const rest = arg.slice(i + 1);
      if ((definition!.takes ?? 'nothing') === 'nothing') {
        this.options[name] = true;
        continue;
      }
      this.set(name, `switch \`${letter}'`, rest === '' ? undefined : rest);
      return;
    }
  }

  /** As Git: letters that are the beginning of a long option want a second dash. */
  private refuseLongName(letters: string): void {
    if (letters.length < 3) return;
    const isLong = Object.entries(this.definitions).some(
      ([name, { hasNoLongForm }]) => hasNoLongForm !== true && name.startsWith(letters),
    );
    if (isLong || letters.startsWith('no-')) {
      throw plainError(`did you mean \`--${letters}\` (with two dashes)?`);
    }
  }

  private set(name: string, what: string, value: string | undefined): void {
    const takes = this.definitions[name]!.takes ?? 'nothing';
    if (takes === 'nothing') {
      if (value !== undefined) throw plainError(`${what} takes no value`);
      this.options[name] = true;
    } else if (takes === 'optional text') {
      this.options[name] = value ?? true;
    } else {
      const text = value ?? this.args[this.at++] ?? this.definitions[name]!.atEnd;
      if (text === undefined) throw plainError(`${what} requires a value`);
      const before = this.options[name] ?? [];
      this.options[name] = takes === 'text' ? text : [...(before as string[]), text];
    }
  }
}

function negation(name: string): string {
  return name.startsWith('no-') ? name.slice('no-'.length) : `no-${name}`;
}

/** An error after which Git does not go on to tell how the command is used. */
function plainError(message: string): UsageError {
  return new UsageError(message, { showsHelp: false });
}

const MAX_INTEGER = 2 ** 31 - 1;

/**
 * Reads the value of an option that is a whole number, such as `10` or `2k`; `name` is the option's long
 * one. Throws `UsageError`, in Git's words.
 */
export function parseInteger(name: string, text: string): number {
  const what = `option \`${name}'`;
  if (text === '') throw plainError(`${what} expects a numerical value`);
  const match = /^[ \t]*([+-]?\d+)([kmg]?)$/i.exec(text);
  if (match === null) {
    throw plainError(`${what} expects an integer value with an optional k/m/g suffix`);
  }
  const value = Number(match[1]) * 1024 ** ' kmg'.indexOf(match[2]!.toLowerCase() || ' ');
  if (value > MAX_INTEGER || value < -MAX_INTEGER - 1) {
    throw plainError(`value ${text} for ${what} not in range [${-MAX_INTEGER - 1},${MAX_INTEGER}]`);
  }
  return value;
}
