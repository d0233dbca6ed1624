// A script of the differential suite: what is done to twin repositories, step by step. Its text form is told
// at the top of each file in scripts/, and in full here:
//
//   # …              a comment; the first of a script is its title, else its first command is
//   == NAME          the scripts that follow start from the original NAME (see `originals.ts`)
//   only FORMAT      the scripts that follow, up to the next ==, are for that ref format
//   $ COMMAND        given to Git and to us; what both say is compared
//   < TEXT           a line of the standard input of the command before
//   git ARGUMENTS    done by Git in both repositories, and has to succeed
//   write FILE TEXT  makes a file in both, folders included; TEXT is one word
//   hook NAME TEXT   makes a shell script of TEXT, one word, the hook of that name in both
//   * COMMAND        a script that is this one command
//
// An empty line ends a script. COMMAND is words with spaces between them; variables of the environment stand
// before it (`NAME=value show-ref`), and its input may stand behind it (`update-ref --stdin << TEXT`), as bytes
// without anything added. In a word in double quotes, and in TEXT, `\n`, `\t`, `\0`, `\\`, `\"` and `\xNN` stand
// for bytes. `$A` and the like are object ids, told in `originals.ts`.

export interface CommandStep {
  kind: 'command';
  env: Record<string, string>;
  args: string[];
  /** Standard input; a character a byte. */
  input: string;
}

export type Step =
  | CommandStep
  | { kind: 'git'; args: string[] }
  | { kind: 'write'; file: string; text: string }
  | { kind: 'hook'; name: string; text: string };

export interface Script {
  title: string;
  /** The name of the repository that it starts from. */
  original: string;
  /** The ref format that it is for. */
  only?: string | undefined;
  steps: Step[];
}

/** The scripts in a text. Throws where a line is none of a script's. */
export function parseScripts(text: string): Script[] {
  const scripts: Script[] = [];
  let original = 'plain';
  let only: string | undefined;
  let current: Script | undefined;
  const started = (): Script => {
    current ??= { title: '', original, only, steps: [] };
    return current;
  };
  const finish = () => {
    if (current !== undefined && current.steps.length > 0) scripts.push(current);
    current = undefined;
  };
  for (const line of text.split('\n')) {
    const [sign = '', ...others] = line.split(' ');
    const rest = others.join(' ');
    if (line === '') {
      finish();
    } else if (sign === '#') {
      started().title ||= rest;
    } else if (sign === '==') {
      finish();
      original = rest;
      only = undefined;
    } else if (sign === 'only') {
      finish();
      only = rest;
    } else if (sign === '*') {
      finish();
      started().steps.push(parseCommand(rest));
      started().title = rest;
      finish();
    } else if (sign === '<') {
      const command = started().steps.at(-1);
      if (command?.kind !== 'command') throw new Error(`no command for the input: ${line}`);
      command.input += `${unescaped(bytes(rest))}\n`;
    } else {
      started().steps.push(parseStep(sign, rest, line));
      if (sign === '$') started().title ||= rest;
    }
  }
  finish();
  return scripts;
}

/** A script as the text that it is parsed from. */
export function showScript({ original, steps }: Script): string {
  return [`== ${original}`, ...steps.map(showStep)].join('\n');
}

function parseStep(sign: string, rest: string, line: string): Step {
  if (sign === '$') return parseCommand(rest);
  const args = words(rest);
  if (sign === 'git') return { kind: 'git', args };
  const [name, text, more] = args;
  if (name === undefined || text === undefined || more !== undefined) {
    throw new Error(`not a line of a script: ${line}`);
  }
  if (sign === 'write') return { kind: 'write', file: name, text };
  if (sign === 'hook') return { kind: 'hook', name, text };
  throw new Error(`not a line of a script: ${line}`);
}

function parseCommand(text: string): CommandStep {
  const [line = '', ...input] = text.split(/ << ?/);
  const all = words(line);
  const start = all.findIndex((word) => !/^[A-Z][A-Z_0-9]*=/.test(word));
  const variables = all.slice(0, start).map((word) => {
    const equals = word.indexOf('=');
    return [word.slice(0, equals), word.slice(equals + 1)];
  });
  return {
    kind: 'command',
    env: Object.fromEntries(variables),
    args: all.slice(start),
    input: unescaped(bytes(input.join(' << '))),
  };
}

function showStep(step: Step): string {
  switch (step.kind) {
    case 'command': {
      const env = Object.entries(step.env).map(([name, value]) => quoted(`${name}=${value}`));
      const line = ['$', ...env, ...step.args.map(quoted)].join(' ');
      return step.input === '' ? line : `${line} << ${escaped(step.input)}`;
    }
    case 'git':
      return ['git', ...step.args.map(quoted)].join(' ');
    case 'write':
      return `write ${quoted(step.file)} ${quoted(step.text)}`;
    case 'hook':
      return `hook ${quoted(step.name)} ${quoted(step.text)}`;
  }
}

/** Splits at spaces that are not in double quotes. */
function words(line: string): string[] {
  const found = line.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  return found.map((word) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, inside: string) =>
      Buffer.from(unescaped(bytes(inside)), 'latin1').toString(),
    ),
  );
}

function quoted(word: string): string {
  return /^[^\s"\\]+$/.test(word) ? word : `"${escaped(word).replaceAll('"', '\\"')}"`;
}

/** Text as a character for each byte of its UTF-8. */
function bytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '0': '\0' };

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex?: string, letter = '') =>
    hex === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function escaped(text: string): string {
  const named = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\0', '\\0');
  return named.replaceAll(
    /[^ -~]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
