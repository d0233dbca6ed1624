// Twin repositories, one for Git and one for the library, that are given the same transactions. These are
// written as commands of `git update-ref --stdin`; A, B and C stand for the commits that there are.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  openRefStore,
  type RefReader,
  type RefStore,
  type RefUpdate,
  type TransactionOptions,
} from '../../src/index.ts';
import { ENVIRONMENT, type GitOptions, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a reader tells of all refs and reflogs. */
function stateOf(reader: RefReader) {
  const reflogs = [...reader.reflogNames()].map((name) => [name, [...reader.reflog(name)]]);
  return { refs: [...reader.refs({ includeRoot: true })], reflogs };
}

/** A repository with refs of every kind. */
export class Original {
  readonly path: string;
  private readonly ids: ReadonlyMap<string, string>;

  constructor() {
    this.path = join(temporaryFolder(), 'original');
    git.output(['init', '-q', '--template=', '--ref-format=reftable', this.path]);
    const run = (...args: string[]) => git.output(args, { cwd: this.path }).trimEnd();
    run('config', 'core.fsync', 'none');
    const tree = run('write-tree');
    const commits = ['A', 'B', 'C'].map((name) => [name, run('commit-tree', '-m', name, tree)]);
    this.ids = new Map([['ZERO', '0'.repeat(40)], ...(commits as [string, string][])]);
    this.apply([
      'create refs/heads/main A',
      'create refs/heads/topic A',
      'create refs/heads/dir/leaf A',
      'create refs/heads/dir/twig A',
      'create refs/remotes/origin/main A',
      'create refs/tags/light A',
      'create ORIG_HEAD A',
      'symref-create refs/heads/alias refs/heads/topic',
      'symref-create refs/heads/to-main refs/heads/main',
      'symref-create refs/heads/dangling refs/heads/nowhere',
      'symref-create refs/heads/self refs/heads/self',
      'symref-create refs/heads/loop-a refs/heads/loop-b',
      'symref-create refs/heads/loop-b refs/heads/loop-a',
      'symref-create refs/remotes/origin/HEAD refs/remotes/origin/main',
      'symref-create refs/chain/1 refs/heads/topic',
      ...[2, 3, 4, 5, 6].map((at) => `symref-create refs/chain/${at} refs/chain/${at - 1}`),
    ]);
    this.apply(['update refs/heads/main B', 'update refs/heads/topic B']);
    git.output(['update-ref', '--create-reflog', '-m', 'x', 'refs/tags/logged', this.oid('A')], {
      cwd: this.path,
    });
    run('pack-refs');
  }

  oid(name: string): string {
    return this.ids.get(name) ?? name;
  }

  /** A copy with settings, in which Git has run `commands`. */
  copy(to: string, config: readonly string[], commands: readonly string[]): void {
    const objects = join(this.path, '.git/objects');
    cpSync(this.path, to, { recursive: true, filter: (file) => file !== objects });
    for (const setting of config) {
      git.output(['config', ...setting.split('=')], this.gitOptions(to));
    }
    this.apply(commands, to);
  }

  /** Where Git runs: in `cwd`, with the objects that all copies share. */
  gitOptions(cwd: string): GitOptions {
    return { cwd, env: { GIT_OBJECT_DIRECTORY: join(this.path, '.git/objects') } };
  }

  /** What `git update-ref --stdin` is given for `commands`. */
  input(commands: readonly string[]): string {
    const lines = commands.map((command) => {
      const { words, deref } = parts(command);
      const line = words.map((word) => this.oid(word)).join(' ');
      return deref ? `${line}\n` : `option no-deref\n${line}\n`;
    });
    return `start\n${lines.join('')}commit\n`;
  }

  updates(commands: readonly string[]): RefUpdate[] {
    return commands.map((command) => {
      const { words, deref } = parts(command);
      const [type, ref = '', ...values] = words.map((word) => this.oid(word));
      return { ...update(type!, values), ref, deref } as RefUpdate;
    });
  }

  private apply(commands: readonly string[], cwd = this.path): void {
    // Apart, so that none is in the way of another.
    for (const command of commands) {
      const noDeref = command.startsWith('symref-') ? `no-deref ${command}` : command;
      const options = { ...this.gitOptions(cwd), input: this.input([noDeref]) };
      git.output(['update-ref', '-m', 'before', '--stdin'], options);
    }
  }
}

/** `no-deref` before a command says that symrefs are not followed. */
function parts(command: string): { words: string[]; deref: boolean } {
  const words = command.split(' ');
  const deref = words[0] !== 'no-deref';
  return { words: deref ? words : words.slice(1), deref };
}

/** The update that a command asks for, but for its ref. */
function update(type: string, values: readonly string[]): Omit<RefUpdate, 'ref'> {
  const [first, second, third] = values as [string, string, string];
  switch (type) {
    case 'create':
      return { type, newOid: first } as RefUpdate;
    case 'update':
      return { type, newOid: first, oldOid: second } as RefUpdate;
    case 'delete':
    case 'verify':
      return { type, oldOid: first } as RefUpdate;
    case 'symref-create':
      return { type, newTarget: first } as RefUpdate;
    case 'symref-update': {
      const old = second === 'oid' ? { oldOid: third } : { oldTarget: third };
      return { type, newTarget: first, ...old } as RefUpdate;
    }
    case 'symref-delete':
    case 'symref-verify':
      return { type, oldTarget: first } as RefUpdate;
    default:
      throw new Error(`no such command: ${type}`);
  }
}

export interface Outcome {
  /** Why it was refused. */
  error: string | undefined;
  refs: unknown;
  reflogs: unknown;
}

/** Two copies of a repository. */
export class Twins {
  private readonly original: Original;
  private readonly ofGit: string;
  private readonly gitStore: RefStore;
  private readonly store: RefStore;

  /** With settings, `key=value`, and after Git has run the commands `before`. */
  constructor(
    original: Original,
    { config = [], before = [] }: { config?: readonly string[]; before?: readonly string[] } = {},
  ) {
    this.original = original;
    const folder = temporaryFolder();
    this.ofGit = join(folder, 'git');
    const ours = join(folder, 'ours');
    original.copy(this.ofGit, config, before);
    cpSync(this.ofGit, ours, { recursive: true });
    this.gitStore = openRefStore(join(this.ofGit, '.git'), { env: {} });
    const env = { ...ENVIRONMENT, ...original.gitOptions(ours).env };
    this.store = openRefStore(join(ours, '.git'), { env, fsync: false });
    onTestFinished(() => {
      this.gitStore.close();
      this.store.close();
    });
  }

  /** Makes the transaction in both; what came of it, and whether anything has changed in ours. */
  async run(
    commands: readonly string[],
    { message = 'the message', createReflog }: TransactionOptions = {},
  ): Promise<{ expected: Outcome; actual: Outcome; isUnchanged: boolean }> {
    const { original, store } = this;
    const flags = createReflog === true ? ['--create-reflog'] : [];
    const { code, stderr } = git.run(['update-ref', ...flags, '-m', message, '--stdin'], {
      ...original.gitOptions(this.ofGit),
      input: original.input(commands),
    });
    const error = code === 0 ? undefined : stderr.trimEnd().replace(/^fatal: (commit: )?/, '');
    const expected = { error, ...stateOf(this.gitStore) };

    const before = stateOf(store);
    let refusal: string | undefined;
    try {
      await store.transaction(original.updates(commands), { message, createReflog });
    } catch (caught) {
      refusal = (caught as Error).message;
    }
    const after = stateOf(store);
    const isUnchanged = JSON.stringify(after) === JSON.stringify(before);
    return { expected, actual: { error: refusal, ...after }, isUnchanged };
  }
}
