// Options and operands in Git's style: long options that may be shortened to an unambiguous beginning
// or negated (`--no-x`), short ones that may be run together (`-dq`), values with `=`, as the next
// argument (`-m MSG`) or stuck on (`-mMSG`); options and operands in any order up to `--`.

import { UsageError } from './failure.ts';

export interface OptionDefinition {
  /** One letter. */
  short?: string;
  /** What stands behind the option. Default: nothing. */
  takes?: 'nothing' | 'text' | 'optional text';
  /** Only the short form exists. */
  hasNoLongForm?: boolean;
}

/** The options of a command by their long names. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

type OptionValue<D extends OptionDefinition> = D['takes'] extends 'text'
  ? string
  : D['takes'] extends 'optional text'
    ? string | true
    : boolean;

/** What was given; an option that was negated is as if it had not been given. */
export type OptionValues<D extends OptionDefinitions> = { [K in keyof D]?: OptionValue<D[K]> };

export interface ParsedArguments<D extends OptionDefinitions> {
  options: OptionValues<D>;
  operands: string[];
}

/** Throws `UsageError`, in Git's words. */
export function parseArguments<const D extends OptionDefinitions>(
  args: readonly string[],
  definitions: D,
): ParsedArguments<D> {
  const parser = new Parser(args, definitions);
  parser.parse();
  return { options: parser.options as OptionValues<D>, operands: parser.operands };
}

class Parser {
  readonly options: Record<string, string | boolean | undefined> = {};
  readonly operands: string[] = [];
  private readonly args: readonly string[];
  private readonly definitions: OptionDefinitions;
  private at = 0;

  constructor(args: readonly string[], definitions: OptionDefinitions) {
    this.args = args;
    this.definitions = definitions;
  }

  parse(): void {
    while (this.at < this.args.length) {
      const arg = this.args[this.at++]!;
      if (arg === '--' || arg === '--end-of-options') {
        this.operands.push(...this.args.slice(this.at));
        return;
      }
      if (arg.startsWith('--')) this.long(arg.slice(2));
      else if (arg.startsWith('-') && arg !== '-') this.short(arg);
      else this.operands.push(arg);
    }
  }

  private long(arg: string): void {
    const equals = arg.indexOf('=');
    const given = equals === -1 ? arg : arg.slice(0, equals);
    const value = equals === -1 ? undefined : arg.slice(equals + 1);
    const { name, negated } = this.find(given, arg);
    if (!negated) {
      this.set(name, `option \`${name}'`, value);
    } else {
      if (value !== undefined) throw plainError(`option \`${given}' takes no value`);
      this.options[name] = undefined;
    }
  }

  /** The option of that name, of a name that begins so, or whose negation this is. */
  private find(given: string, arg: string): { name: string; negated: boolean } {
    const candidates: { name: string; negated: boolean; spelling: string }[] = [];
    for (const [name, { hasNoLongForm }] of Object.entries(this.definitions)) {
      if (hasNoLongForm === true) continue;
      candidates.push({ name, negated: false, spelling: name });
      candidates.push({ name, negated: true, spelling: negation(name) });
    }
    const exact = candidates.find(({ spelling }) => spelling === given);
    if (exact !== undefined) return exact;
    const [first, second] = candidates.filter(({ spelling }) => spelling.startsWith(given));
    if (first === undefined) throw new UsageError(`unknown option \`${arg}'`);
    if (second === undefined) return first;
    const choice = `could be --${first.spelling} or --${second.spelling}`;
    throw new UsageError(`ambiguous option: ${given} (${choice})`);
  }

  private short(arg: string): void {
    for (let i = 1; i < arg.length; i++) {
      const letter = arg[i]!;
      const [name, definition] =
        Object.entries(this.definitions).find(([, { short }]) => short === letter) ?? [];
      if (name === undefined) throw new UsageError(`unknown switch \`${letter}'`);
      const rest = arg.slice(i + 1);
      if ((definition!.takes ?? 'nothing') === 'nothing') {
        this.options[name] = true;
        continue;
      }
      this.set(name, `switch \`${letter}'`, rest === '' ? undefined : rest);
      return;
    }
  }

  private set(name: string, what: string, value: string | undefined): void {
    const takes = this.definitions[name]!.takes ?? 'nothing';
    if (takes === 'nothing') {
      if (value !== undefined) throw plainError(`${what} takes no value`);
      this.options[name] = true;
    } else if (value !== undefined || takes === 'optional text') {
      this.options[name] = value ?? true;
    } else {
      if (this.at === this.args.length) throw plainError(`${what} requires a value`);
      this.options[name] = this.args[this.at++];
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

/**
 * Reads the value of an option that is a whole number. Throws `UsageError`, in Git's words (`%s` is the
 * option's long name).
 */
export function parseInteger(name: string, text: string): number {
  const match = /^[ \t]*([+-]?\d+)([kmg]?)$/i.exec(text);
  if (match === null) {
    const expected = 'an integer value with an optional k/m/g suffix';
    throw plainError(`option \`${name}' expects ${expected}`);
  }
  return Number(match[1]) * 1024 ** ' kmg'.indexOf(match[2]!.toLowerCase() || ' ');
}
