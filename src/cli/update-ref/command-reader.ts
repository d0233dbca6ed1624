// Reads one command of `update-ref --stdin` part by part. In text, parts are separated by a space and
// may be in C's quotes; with -z, each ends with NUL.

import { isOid, type ObjectFormat, zeroOid } from '../../format/object-format.ts';
import { checkRefName } from '../../refs/ref-name.ts';
import { unquote } from '../c-quoting.ts';
import { die } from '../failure.ts';

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;

const ALLOW_ONE_LEVEL = { allowOneLevel: true };

export type OidKind = 'new' | 'old';

/** What is expected of an object id, and what it is an empty one taken for. */
export interface OidOptions {
  kind: OidKind;
  /** With -z, an empty one is all zeros, with a warning, and not left out. */
  allowEmpty?: boolean;
}

/** Looks up what a command names an object id by; `undefined` if there is no such thing. */
export type ResolveOid = (text: string) => string | undefined;

export class CommandReader {
  private readonly nulTerminated: boolean;
  private readonly resolveOid: ResolveOid;
  private readonly objectFormat: ObjectFormat;
  private readonly zero: string;
  private readonly warn: (message: string) => void;
  private input = '';
  /** Whether a NUL ended the text before the line did. */
  private isCut = false;
  private at = 0;

  constructor(options: {
    nulTerminated: boolean;
    resolveOid: ResolveOid;
    objectFormat: ObjectFormat;
    warn: (message: string) => void;
  }) {
    this.nulTerminated = options.nulTerminated;
    this.resolveOid = options.resolveOid;
    this.objectFormat = options.objectFormat;
    this.zero = zeroOid(options.objectFormat);
    this.warn = options.warn;
  }

  /** Begins with a command, terminators and all, behind its name and the space after it. */
  open(input: string, at: number): void {
    // Git's text is C's, and ends there.
    this.input = this.nulTerminated ? input : untilNul(input);
    this.isCut = this.input !== input;
    this.at = at;
  }

  /** What has not been read. With -z, up to the next NUL, as a C string ends there. */
  get rest(): string {
    return untilNul(this.input.slice(this.at));
  }

  /** Whether the command ends here, with a terminator. */
  get isAtTerminator(): boolean {
    const terminator = this.nulTerminated ? 0 : LINE_FEED;
    // With -z, the end of the input is a NUL too: C strings have one there.
    return this.nulTerminated && this.at === this.input.length
      ? true
      : this.input.charCodeAt(this.at) === terminator;
  }

  /** A ref's name where the reader stands; `undefined` if it is empty. */
  refName(): string | undefined {
    const start = this.at;
    const word = this.word();
    if (word !== undefined && checkRefName(word, ALLOW_ONE_LEVEL) === undefined) return word;
    this.at = start;
    const name = this.part();
    if (name === '') return undefined;
    if (checkRefName(name, ALLOW_ONE_LEVEL) !== undefined) die(`invalid ref format: ${name}`);
    return name;
  }

  /** A ref's name behind the next separator; `undefined` if there is none, or it is empty. */
  nextRefName(): string | undefined {
    return this.skipSeparator() ? this.refName() : undefined;
  }

  /** A part behind the next separator; `undefined` if there is none, or it is empty. */
  nextPart(): string | undefined {
    return this.skipSeparator() ? this.part() || undefined : undefined;
  }

  /**
   * The object id behind the next separator, in hex; `undefined` if it was left out. `command` and
   * `ref` are for messages.
   */
  nextOid(command: string, ref: string, { kind, allowEmpty }: OidOptions): string | undefined {
    if (this.nulTerminated) return this.nextNulTerminatedOid(command, ref, kind, allowEmpty);
    const { input } = this;
    if (this.at === input.length) {
      if (this.isCut) return undefined;
      this.unexpectedEnd(command, ref, kind);
    }
    const separator = input.charCodeAt(this.at);
    if (separator === LINE_FEED) return undefined;
    if (separator !== SPACE) die(`${command} ${ref}: expected SP but got: ${this.rest}`);
    const start = ++this.at;
    const word = this.word();
    if (word !== undefined && isOid(word, this.objectFormat)) return word;
    this.at = start;
    const text = this.part();
    return text === '' ? this.zero : this.oid(text, command, ref, kind);
  }

  private nextNulTerminatedOid(
    command: string,
    ref: string,
    kind: OidKind,
    allowEmpty: boolean | undefined,
  ): string | undefined {
    const { input } = this;
    if (this.at >= input.length) this.unexpectedEnd(command, ref, kind);
    if (input.charCodeAt(this.at) !== 0) {
      die(`${command} ${ref}: expected NUL but got: ${this.rest}`);
    }
    this.at++;
    if (this.at === input.length) this.unexpectedEnd(command, ref, kind);
    const text = this.part();
    if (text !== '') return this.oid(text, command, ref, kind);
    if (allowEmpty !== true) return undefined;
    this.warn(`${command} ${ref}: missing <new-oid>, treating as zero`);
    return this.zero;
  }

  private oid(text: string, command: string, ref: string, kind: OidKind): string {
    return this.resolveOid(text) ?? die(`${command} ${ref}: invalid <${kind}-oid>: ${text}`);
  }

  private unexpectedEnd(command: string, ref: string, kind: OidKind): never {
    die(`${command} ${ref}: unexpected end of input when reading <${kind}-oid>`);
  }

  /** Steps over what stands between two parts; `false` if there is no other part. */
  private skipSeparator(): boolean {
    const { input } = this;
    const unit = input.charCodeAt(this.at);
    if (this.nulTerminated) {
      if (unit !== 0 || this.at + 1 >= input.length) return false;
    } else {
      if (this.at === input.length || unit === LINE_FEED) return false;
      if (unit !== SPACE) die(`expected SP but got: ${this.rest}`);
    }
    this.at++;
    return true;
  }

  /**
   * What stands up to the next space: in text the next part, unless there is other white space in it,
   * which neither names nor object ids have. Saves looking at each character of 100,000 parts.
   * `undefined` for a quoted part.
   */
  private word(): string | undefined {
    const { input, at } = this;
    if (this.nulTerminated) return this.part();
    if (input.charCodeAt(at) === DOUBLE_QUOTE) return undefined;
    let end = input.indexOf(' ', at);
    if (end === -1) {
      end = input.length;
      if (input.charCodeAt(end - 1) === LINE_FEED) end--;
    }
    this.at = end;
    return input.slice(at, end);
  }

  /** The part that starts where the reader stands, and moves behind it. */
  private part(): string {
    const { input, at } = this;
    if (this.nulTerminated) {
      const end = input.indexOf('\0', at);
      this.at = end === -1 ? input.length : end;
      return input.slice(at, this.at);
    }
    if (input.charCodeAt(at) === DOUBLE_QUOTE) return this.quotedPart();
    let end = at;
    while (end < input.length && !isSpace(input.charCodeAt(end))) end++;
    this.at = end;
    return input.slice(at, end);
  }

  private quotedPart(): string {
    const { input, at } = this;
    const quoted = unquote(input, at);
    if (quoted === undefined) die(`badly quoted argument: ${this.rest}`);
    const end = quoted.closingQuote + 1;
    if (end < input.length && !isSpace(input.charCodeAt(end))) {
      die(`unexpected character after quoted argument: ${this.rest}`);
    }
    this.at = end;
    return quoted.value;
  }
}

/** As much of a text as C sees of it. */
export function untilNul(text: string): string {
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

/** C's `isspace`. */
export function isSpace(unit: number): boolean {
  return unit === SPACE || (unit >= 0x09 && unit <= 0x0d);
}
