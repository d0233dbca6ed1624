// Scripts by chance: sequences of commands over few names, so that they meet each other. What is expected of a ref is
// right about as often as wrong.

import * as fc from 'fast-check';
import type { CommandStep, Script, Step } from './script.ts';

/** An update of `update-ref --stdin`: its words, and where an optional one may stay away. */
type Update = string[];

const plainNames = [
  'HEAD',
  'ORIG_HEAD',
  'refs/heads/main',
  'refs/heads/main/sub',
  'refs/heads/topic',
  'refs/heads/alias',
  'refs/heads/dangling',
  'refs/heads/nowhere',
  'refs/heads/dir',
  'refs/heads/dir/leaf',
  'refs/heads/dir/leaf/deep',
  'refs/heads/new',
  'refs/tags/v1',
  'refs/tags/logged',
  'refs/tags/new',
  'refs/notes/commits',
  'refs/remotes/origin/HEAD',
  'refs/stash',
];

// `loop-b` is left out: once Git has come from it to `loop-a`, it looks for it in a list that is out of order, and the
// message about the circle names another of its symrefs.
const oddNames = [
  'HEAD',
  'CHERRY_PICK_HEAD',
  'refs/heads/main',
  'refs/heads/caf\xe9',
  'refs/heads/caf\xe9/sub',
  'refs/heads/self',
  'refs/heads/loop-a',
  'refs/heads/dangling',
  'refs/heads/dangling-2',
  'refs/heads/nowhere',
  'refs/heads/under',
  'refs/chain/1',
  'refs/chain/4',
  'refs/chain/5',
  'refs/chain/7',
];

const ids = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('$A', '$B', '$C', '$SIDE') },
  { weight: 2, arbitrary: fc.constantFrom('$TAG', '$NESTED', '$ZERO') },
  { weight: 1, arbitrary: fc.constantFrom('$TREE', '$MISSING', '$SHORT', '$LONG', '$OTHER') },
);

const oldIds = fc.constantFrom('$A', '$A', '$B', '$C', '$ZERO');

function updates(name: fc.Arbitrary<string>): fc.Arbitrary<Update> {
  const direct = (command: string, ...values: fc.Arbitrary<string>[]) =>
    fc.tuple(fc.constant(command), name, ...values);
  const target = name.filter((each) => each.startsWith('refs/'));
  return fc.oneof(
    direct('create', ids),
    direct('update', ids),
    direct('update', ids, oldIds),
    direct('delete'),
    direct('delete', oldIds),
    direct('verify'),
    direct('verify', oldIds),
    direct('symref-create', target),
    direct('symref-update', target),
    direct('symref-update', target, fc.constant('ref'), target),
    direct('symref-update', target, fc.constant('oid'), oldIds),
    direct('symref-delete'),
    direct('symref-delete', target),
    direct('symref-verify', target),
  );
}

/** How many fields stand behind the name with `-z`, where what was left out is an empty one. */
const FIELDS: Readonly<Record<string, number>> = {
  update: 2,
  'symref-create': 1,
  'symref-update': 2,
};

const text = {
  lines: (words: Update) => `${words.join(' ')}\n`,
  fields: ([command = '', name = '', ...values]: Update) => {
    const missing = Math.max(0, (FIELDS[command] ?? 1) - values.length);
    return `${[`${command} ${name}`, ...values, ...Array(missing).fill('')].join('\0')}\0`;
  },
};

const frames: readonly [string[], string[]][] = [
  [[], []],
  [['start'], ['commit']],
  [['start'], ['prepare', 'commit']],
  [['start'], ['prepare', 'abort']],
  [['start'], []],
];

function transaction(name: fc.Arbitrary<string>): fc.Arbitrary<CommandStep> {
  const update = fc.record({ words: updates(name), noDeref: fc.boolean() });
  return fc
    .record({
      all: fc.array(update, { minLength: 1, maxLength: 6 }),
      frame: fc.constantFrom(...frames),
      form: fc.constantFrom('lines' as const, 'lines' as const, 'fields' as const),
      batch: fc.boolean(),
      flags: fc.subarray(['--no-deref', '--create-reflog'], { maxLength: 1 }),
      message: fc.option(fc.constantFrom('a reason', ' folded \n reason ')),
    })
    .map(({ all, frame, form, batch, flags, message }) => {
      const end = form === 'lines' ? '\n' : '\0';
      const given = all.map(
        ({ words, noDeref }) => (noDeref ? `option no-deref${end}` : '') + text[form](words),
      );
      const [before, after] = frame.map((lines) => lines.map((line) => line + end).join(''));
      return command(before! + given.join('') + after!, 'update-ref', '--stdin', [
        ...(form === 'fields' ? ['-z'] : []),
        ...(batch ? ['--batch-updates'] : []),
        ...flags,
        ...(message === null ? [] : ['-m', message]),
      ]);
    });
}

/** Commands of one ref. Arguments are text, so names that are not UTF-8 are left out. */
function single(name: fc.Arbitrary<string>): fc.Arbitrary<CommandStep> {
  const of = (...words: (string | fc.Arbitrary<string>)[]) =>
    fc
      .tuple(...words.map((word) => (typeof word === 'string' ? fc.constant(word) : word)))
      .map((args) => command('', ...args));
  const ascii = name.filter((each) => /^[ -~]*$/.test(each));
  const target = ascii.filter((each) => each.startsWith('refs/'));
  return fc.oneof(
    of('update-ref', ascii, ids),
    of('update-ref', '-m', 'one', ascii, ids, oldIds),
    of('update-ref', '--no-deref', ascii, ids, oldIds),
    of('update-ref', '-d', ascii),
    of('update-ref', '--no-deref', '-d', ascii, oldIds),
    of('symbolic-ref', ascii),
    of('symbolic-ref', '-m', 'switched', ascii, target),
    of('symbolic-ref', '-d', ascii),
    of('show-ref', '--head', '-d'),
    of('show-ref', '--verify', ascii),
    of('show-ref', '--exists', ascii),
    of('for-each-ref', '--include-root-refs', '--format=%(refname) %(objectname) %(symref)'),
    of('reflog', 'list'),
    of('reflog', 'exists', ascii),
    of('pack-refs'),
  );
}

function command(input: string, ...words: (string | string[])[]): CommandStep {
  return { kind: 'command', env: {}, args: words.flat(), input };
}

function setting(key: string, values: readonly string[]): fc.Arbitrary<Step[]> {
  const step = fc
    .constantFrom(...values)
    .map<Step[]>((value) => [{ kind: 'git', args: ['config', key, value] }]);
  return fc.option(step, { nil: [] });
}

/** Any script; a smaller one has fewer commands with fewer updates. */
export function scripts(): fc.Arbitrary<Script> {
  const start = fc.constantFrom(
    { original: 'plain', names: plainNames },
    { original: 'plain', names: plainNames },
    { original: 'bare', names: plainNames },
    { original: 'empty', names: plainNames },
    { original: 'odd', names: oddNames },
    { original: 'odd', names: oddNames },
  );
  return start.chain(({ original, names }) => {
    const name = fc.constantFrom(...names);
    const steps = fc.array(fc.oneof(transaction(name), single(name)), {
      minLength: 1,
      maxLength: 4,
    });
    return fc
      .tuple(setting('core.logAllRefUpdates', ['true', 'false', 'always']), steps)
      .map(([settings, commands]) => ({ title: '', original, steps: [...settings, ...commands] }));
  });
}
