// The repositories that scripts start from, each made once by Git, and the object ids that scripts speak of.

import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../support/git.ts';

export type ObjectFormatName = 'sha1' | 'sha256';
export type RefFormatName = 'files' | 'reftable';

/** In what a repository is made. */
export interface RepositoryFormats {
  objects: ObjectFormatName;
  refs: RefFormatName;
}

export interface Original {
  /** The folder that holds the repository `repo`, and whatever stands beside it. */
  folder: string;
  /** Object ids by the names that scripts use. */
  ids: ReadonlyMap<string, string>;
}

type Run = (args: readonly string[], input?: string) => string;

/** Has the work done that makes an original out of a repository with objects and no refs. */
type Maker = (run: Run, id: (name: string) => string, add: AddId) => void;

/** Gives an id a name for scripts. */
type AddId = (name: string, id: string) => void;

/** Refs of every kind that are as they should be; `main` and `topic` have two reflog entries. */
const plain: Maker = (run, id) => {
  const commands = [
    'create refs/heads/main A',
    'create refs/heads/topic A',
    'create refs/heads/dir/leaf A',
    'create refs/heads/dir/twig B',
    'create refs/heads/both A',
    'create refs/tags/both B',
    'create refs/tags/light A',
    'create refs/tags/v1 TAG',
    'create refs/tags/v1.1 NESTED',
    'create refs/tags/tree TREETAG',
    'create refs/notes/commits A',
    'create refs/stash B',
    'create refs/remotes/origin/main A',
    'create ORIG_HEAD A',
    'symref-create refs/remotes/origin/HEAD refs/remotes/origin/main',
    'symref-create refs/heads/alias refs/heads/topic',
    'symref-create refs/heads/dangling refs/heads/nowhere',
  ];
  const fill = (line: string) => line.replaceAll(/\b(?:A|B|C|TAG|NESTED|TREETAG)$/g, id);
  run(['update-ref', '--stdin'], `${commands.map(fill).join('\n')}\n`);
  run(['update-ref', '-m', 'second', 'HEAD', id('B')]);
  run(['update-ref', '-m', 'second', 'refs/heads/topic', id('C')]);
  run(['update-ref', '--create-reflog', '-m', 'tagged', 'refs/tags/logged', id('A')]);
};

/** What an accident leaves: cycles, chains, names that are not UTF-8. */
const odd: Maker = (run, id) => {
  const commands = [
    `create refs/heads/main ${id('A')}`,
    `create refs/heads/caf\xe9 ${id('A')}`,
    `create refs/heads/\xef\xbd\x9e ${id('A')}`,
    `create refs/heads/\xf0\x9f\x98\x80 ${id('B')}`,
    'symref-create refs/heads/self refs/heads/self',
    'symref-create refs/heads/loop-a refs/heads/loop-b',
    'symref-create refs/heads/loop-b refs/heads/loop-a',
    'symref-create refs/heads/dangling refs/heads/nowhere',
    'symref-create refs/heads/dangling-2 refs/heads/dangling',
    'symref-create refs/chain/1 refs/heads/main',
    ...[2, 3, 4, 5, 6, 7].map((at) => `symref-create refs/chain/${at} refs/chain/${at - 1}`),
    'symref-create refs/heads/under refs/heads/main/sub',
    `create CHERRY_PICK_HEAD ${id('A')}`,
  ];
  run(['update-ref', '--stdin'], `${commands.join('\n')}\n`);
};

/** Refs whose objects are not there, or are of a kind that does not fit. */
const missing: Maker = (run, id) => {
  const commands = [
    `create refs/heads/main ${id('A')}`,
    `create refs/heads/missing ${id('LOST')}`,
    `create refs/tags/missing ${id('LOST')}`,
    `create refs/tags/blob ${id('BLOB')}`,
    `create refs/tags/tree ${id('TREE')}`,
    'symref-create refs/heads/to-missing refs/heads/missing',
  ];
  run(['update-ref', '--stdin'], `${commands.join('\n')}\n`);
};

const bare: Maker = (run, id, add) => {
  plain(run, id, add);
  run(['config', 'core.bare', 'true']);
};

/** A repository with three linked worktrees, on a branch, detached, and one whose branch is not born. */
const worktrees: Maker = (run, id, add) => {
  plain(run, id, add);
  run(['config', 'worktree.useRelativePaths', 'true']);
  run(['worktree', 'add', '-q', '--no-checkout', '../one', 'topic']);
  run(['worktree', 'add', '-q', '--no-checkout', '--detach', '../two', id('A')]);
  run(['worktree', 'add', '-q', '--no-checkout', '-b', 'three', '../three']);
  run(['-C', '../three', 'symbolic-ref', 'HEAD', 'refs/heads/unborn']);
  run(['-C', '../one', 'update-ref', 'refs/bisect/bad', id('B')]);
  run(['-C', '../one', 'update-ref', 'refs/worktree/own', id('C')]);
  run(['update-ref', 'refs/worktree/own', id('A')]);
};

/**
 * LIKE is the first four digits of A, and also of a commit, a tag and a blob; LIKEBLOB those of two blobs; FEW has three
 * digits of B, DIGITS eight.
 */
const alike: Maker = (run, id, add) => {
  plain(run, id, add);
  const digits = id('A').slice(0, 4);
  const person = 'Al Alike <al@example.com>';
  const make = (type: string, prefix: string, content: (n: number) => string) => {
    const algorithm = id('A').length === 40 ? 'sha1' : 'sha256';
    for (let n = 0; ; n++) {
      const text = content(n);
      const oid = createHash(algorithm).update(`${type} ${text.length}\0${text}`).digest('hex');
      if (oid.startsWith(prefix)) return run(['hash-object', '-w', '-t', type, '--stdin'], text);
    }
  };
  make('blob', digits, (n) => `alike ${n}\n`);
  make('commit', digits, (n) => {
    const author = `author ${person} ${1_600_000_000 + n} -0700`;
    return `tree ${id('TREE')}\n${author}\ncommitter ${person} 0 +0000\n\nalike\nfolded\n\nbody\n`;
  });
  make('tag', digits, (n) => {
    return `object ${id('TREE')}\ntype tree\ntag alike-${n}\ntagger ${person} 1600000000 -0700\n\nalike\n`;
  });
  const blob = id('BLOB').slice(0, 4);
  make('blob', blob, (n) => `alike ${n}\n`);
  add('LIKE', digits);
  add('LIKEBLOB', blob);
  add('FEW', id('B').slice(0, 3));
  add('DIGITS', id('B').slice(0, 8));
};

/** Objects that are what their ids say, but not what their types do. */
const malformed: Maker = (run, id, add) => {
  plain(run, id, add);
  const make = (name: string, type: string, text: string) =>
    add(name, run(['hash-object', '--literally', '-w', '-t', type, '--stdin'], text));
  const [a, tree] = [id('A'), id('TREE')];
  const message = '\nlong enough for a message\n';
  make('BOGUS', 'commit', `tree ${tree}`);
  make('BADTREE', 'commit', `tree ${tree.replace(/./, 'x')}\n${message}`);
  make('BADPARENT', 'commit', `tree ${tree}\nparent ${a}x\n${message}`);
  make('NOPARENT', 'commit', `tree ${tree}\nparent xyz\n${message}`);
  make('NOTAG', 'tag', `objct ${a}\ntype commit\ntag x\n${message}`);
  make('NONAME', 'tag', `object ${a}\ntype commit\n${message}`);
  make('NOTYPE', 'tag', `object ${a}\ntype kind\ntag x\n${message}`);
  make('OFMISSING', 'tag', `object ${id('MISSING')}\ntype commit\ntag x\n${message}`);
  make('BADTREES', 'tree', 'no tree');
};

const MAKERS: Readonly<Record<string, Maker>> = {
  plain,
  odd,
  missing,
  bare,
  worktrees,
  alike,
  malformed,
  /** No ref but HEAD. */
  empty: () => {},
};

/** Makes every original below `folder` and gives them by name. */
export function makeOriginals(folder: string, formats: RepositoryFormats): Map<string, Original> {
  return new Map(
    Object.keys(MAKERS).map((name) => [name, makeOriginal(join(folder, name), formats, name)]),
  );
}

function makeOriginal(folder: string, formats: RepositoryFormats, name: string): Original {
  const { objects, refs } = formats;
  const repository = join(folder, 'repo');
  mkdirSync(repository, { recursive: true });
  const run: Run = (args, input = '') =>
    git.output(args, { cwd: repository, input: Buffer.from(input, 'latin1') }).trimEnd();
  run(['init', '-q', '--template=', `--ref-format=${refs}`, `--object-format=${objects}`]);
  run(['config', 'core.fsync', 'none']);
  const ids = makeObjects(run, objects);
  const id = (of: string) => ids.get(of)!;
  MAKERS[name]!(run, id, (of, oid) => ids.set(of, oid));
  const lost = id('LOST');
  rmSync(join(repository, '.git/objects', lost.slice(0, 2), lost.slice(2)));
  return { folder, ids };
}

/**
 * A, B and C are commits, each the next one's parent; SIDE has no parent; TAG is a tag of B, NESTED a tag of it,
 * TREETAG a tag of TREE; BLOB is a file's. LOST was a commit and has gone, MISSING never was. SHORT, LONG and OTHER
 * have the wrong length, OTHER that of the other hash.
 */
function makeObjects(run: Run, format: ObjectFormatName): Map<string, string> {
  const ids = new Map<string, string>();
  const tree = run(['mktree']);
  const commit = (message: string, ...parents: string[]) => {
    const args = parents.flatMap((parent) => ['-p', parent]);
    return run(['commit-tree', '-m', message, ...args, tree]);
  };
  const a = commit('first commit');
  const b = commit('second commit', a);
  const tagger = 'Ty Tagger <ty@example.com> 1700000120 +0000';
  const tag = (name: string, object: string, type: string) =>
    run(['mktag'], `object ${object}\ntype ${type}\ntag ${name}\ntagger ${tagger}\n\n${name}\n`);
  const v1 = tag('v1', b, 'commit');
  const length = a.length;
  const all: [string, string][] = [
    ['A', a],
    ['B', b],
    ['C', commit('third commit', b)],
    ['SIDE', commit('another root')],
    ['TREE', tree],
    ['BLOB', run(['hash-object', '-w', '--stdin'], 'text\n')],
    ['TAG', v1],
    ['NESTED', tag('v1.1', v1, 'tag')],
    ['TREETAG', tag('tree', tree, 'tree')],
    ['ZERO', '0'.repeat(length)],
    ['MISSING', '1234567890'.repeat(7).slice(0, length)],
    ['LOST', commit('lost commit')],
    ['SHORT', a.slice(1)],
    ['LONG', `${a}1`],
    ['OTHER', 'a'.repeat(format === 'sha1' ? 64 : 40)],
  ];
  for (const [name, id] of all) ids.set(name, id);
  return ids;
}
