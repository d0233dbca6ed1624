// Whatever is given to `update-ref --stdin`, in whatever state the refs are, comes out as with Git: exit code, output
// and all refs and reflogs. What fails is shrunk and printed as its commands.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { openRefStore } from '../../src/index.ts';
import { describeWithGit, type GitResult, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';

const RUNS = 40;
const SEED = 20260;

/** A call of `update-ref --stdin`. Object ids are named by a letter: A and B are commits, T a tree, M is missing, 0 all zeros. */
interface Call {
  options: string[];
  commands: string[];
}

const REFS = [
  ...['HEAD', 'ORIG_HEAD', 'FETCH_HEAD', 'lower'],
  ...[
    'main',
    'topic',
    'alias',
    'dangling',
    'self',
    'new',
    'd',
    'd/e',
    'd/f',
    'main/sub',
    'a..b',
  ].map((name) => `refs/heads/${name}`),
  ...['refs/tags/light', 'refs/tags/new', 'refs/chain/1', 'refs/chain/4', 'refs/chain/6'],
];
const TARGETS = REFS.filter((name) => name.startsWith('refs/'));

/** What there is at first, made by Git; names that are in the way of each other come and go. */
const START = [
  'create refs/heads/main A',
  'create refs/heads/topic A',
  'create refs/tags/light B',
  'create ORIG_HEAD A',
  'symref-create refs/heads/alias refs/heads/topic',
  'symref-create refs/heads/dangling refs/heads/nowhere',
  'symref-create refs/heads/self refs/heads/self',
  'symref-create refs/chain/1 refs/heads/topic',
  ...[2, 3, 4, 5, 6].map((at) => `symref-create refs/chain/${at} refs/chain/${at - 1}`),
];

const ref = fc.constantFrom(...REFS);
const target = fc.constantFrom(...TARGETS);
const newOid = fc.constantFrom('A', 'B', 'A', 'B', 'T', 'M', '0', 'nothing', 'HEAD');
const oldOid = fc.constantFrom('', ' A', ' B', ' 0', ' A', ' B', ' M', ' nothing');
const words = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''));
const is = (text: string) => fc.constant(text);
const oldTarget = fc.oneof(
  is(''),
  words(is(' ref '), target),
  words(is(' oid '), fc.constantFrom('A', 'B', '0')),
  is(' what A'),
);

const command = fc.oneof(
  { weight: 4, arbitrary: words(is('update '), ref, is(' '), newOid, oldOid) },
  { weight: 3, arbitrary: words(is('create '), ref, is(' '), newOid) },
  { weight: 3, arbitrary: words(is('delete '), ref, oldOid) },
  { weight: 2, arbitrary: words(is('verify '), ref, oldOid) },
  { weight: 2, arbitrary: words(is('symref-create '), ref, is(' '), target) },
  { weight: 3, arbitrary: words(is('symref-update '), ref, is(' '), target, oldTarget) },
  {
    weight: 2,
    arbitrary: words(is('symref-delete '), ref, fc.oneof(is(''), words(is(' '), target))),
  },
  {
    weight: 2,
    arbitrary: words(is('symref-verify '), ref, fc.oneof(is(''), words(is(' '), target))),
  },
);
const updates = fc
  .array(fc.tuple(fc.boolean(), command), { minLength: 1, maxLength: 4 })
  .map((all) => all.flatMap(([deref, each]) => (deref ? [each] : ['option no-deref', each])));
const commands = fc.oneof(
  { weight: 4, arbitrary: updates },
  {
    weight: 1,
    arbitrary: fc
      .tuple(updates, fc.constantFrom('', 'prepare'), fc.constantFrom('commit', 'abort', ''))
      .map(([all, prepare, end]) => ['start', ...all, prepare, end].filter((each) => each !== '')),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(command, fc.constantFrom('start', 'prepare', 'commit', 'abort')), {
      maxLength: 6,
    }),
  },
);
const call: fc.Arbitrary<Call> = fc.record({
  options: fc.subarray(['--batch-updates', '--no-deref', '--create-reflog', '-mreason', '-z']),
  commands,
});

beforeAll(buildCommandLine);

/** How many parts a command has behind its name with -z. */
const PARTS: Record<string, number> = { update: 3, 'symref-update': 4 };

/** The commands as `update-ref --stdin` reads them, with or without -z. */
function inputOf({ options, commands }: Call): string {
  if (!options.includes('-z')) return commands.map((each) => `${each}\n`).join('');
  return commands
    .map((each) => {
      const [name, ...parts] = each.split(' ');
      if (parts.length === 0 || name === 'option') return `${each}\0`;
      while (parts.length < (PARTS[name!] ?? 2)) parts.push('');
      return `${name} ${parts.join('\0')}\0`;
    })
    .join('');
}

describeWithGit('random calls of update-ref --stdin', () => {
  it.each(['sha1', 'sha256'] as const)('do to refs of %s what Git does', (objectFormat) => {
    const folder = temporaryFolder();
    const original = join(folder, 'original');
    const init = ['init', '-q', '--template=', '--ref-format=reftable', original];
    git.output([...init, `--object-format=${objectFormat}`]);
    const run = (...args: string[]) => git.output(args, { cwd: original }).trimEnd();
    run('config', 'core.fsync', 'none');
    const tree = run('write-tree');
    const ids: Record<string, string> = {
      A: run('commit-tree', '-m', 'A', tree),
      B: run('commit-tree', '-m', 'B', tree),
      T: tree,
      M: '1'.repeat(tree.length),
      0: '0'.repeat(tree.length),
    };
    const fill = (each: string) => each.replace(/(?<= )[ABTM0](?= |$)/g, (letter) => ids[letter]!);
    for (const each of START) {
      const input = `option no-deref\n${fill(each)}\n`;
      git.output(['update-ref', '--stdin'], { cwd: original, input });
    }
    let count = 0;
    const property = fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (calls) => {
      const twins = { git: join(folder, `git${count}`), ours: join(folder, `ours${count}`) };
      count++;
      for (const copy of Object.values(twins)) cpSync(original, copy, { recursive: true });
      for (const each of calls) {
        const args = ['update-ref', '--stdin', ...each.options];
        const input = inputOf({ ...each, commands: each.commands.map(fill) });
        const expected = git.run(args, { cwd: twins.git, input });
        const actual = reftable(args, { cwd: twins.ours, input });
        expect(outcome(actual, twins.ours)).toEqual(outcome(expected, twins.git));
      }
    });
    fc.assert(property, { numRuns: RUNS, seed: SEED });
  });
});

function outcome({ code, stdout, stderr }: GitResult, path: string) {
  using store = openRefStore(join(path, '.git'), { env: {} });
  const reflogs = Array.from(store.reflogNames(), (name) => [name, ...store.reflog(name)]);
  return { code, stdout, stderr, refs: [...store.refs({ includeRoot: true })], reflogs };
}
