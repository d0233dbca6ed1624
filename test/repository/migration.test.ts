// Migrating between the ref storages, beside Git: whoever does it, nothing is lost.

import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { migrateRefStorage, openRefStore } from '../../src/index.ts';
import { buildCommandLine, commandLine, reftable } from '../cli/command-line.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** How often a migration is killed. */
const KILLS = Number(process.env.REFTABLE_MIGRATION_KILLS ?? 40);

type Format = 'files' | 'reftable';

interface Kind {
  objectFormat: 'sha1' | 'sha256';
  bare: boolean;
  packed: boolean;
  detached: boolean;
  refs: number;
}

const KINDS: Kind[] = Array.from({ length: 20 }, (_, i) => ({
  objectFormat: i % 5 === 4 ? 'sha256' : 'sha1',
  bare: i % 4 === 3,
  packed: i % 2 === 1,
  detached: i % 3 === 2,
  refs: i * 7,
}));

function makeRepository({ objectFormat, bare, packed, detached, refs }: Kind): string {
  const folder = temporaryFolder();
  const flags = bare ? ['--bare'] : [];
  const run = (...args: string[]) => git.output(args, { cwd: folder }).trim();
  run('init', '-q', '--ref-format=files', `--object-format=${objectFormat}`, ...flags, '.');
  run('config', 'core.logAllRefUpdates', 'always');
  const tree = run('hash-object', '-t', 'tree', '-w', '--stdin');
  const commits = ['one', 'two', 'three'].map((name) => run('commit-tree', tree, '-m', name));
  for (const [i, commit] of commits.entries()) {
    const env = { GIT_COMMITTER_DATE: `${1700000000 + i} ${['+0000', '-0330', '+1245'][i]}` };
    const update = ['update-ref', '-m', `step ${i}:  of «main»`, 'HEAD', commit];
    git.output(update, { cwd: folder, env });
  }
  const commands = Array.from(
    { length: refs },
    (_, i) => `create refs/heads/topic/${i % 5}/n${i} ${commits[i % 3]}\n`,
  );
  git.output(['update-ref', '--stdin', '-m', 'made'], { cwd: folder, input: commands.join('') });
  run('tag', '-a', '-m', 'annotated', 'v1', commits[0]!);
  run('tag', '-a', '-m', 'of a tag', 'v2', 'v1');
  run('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/nothing');
  run('update-ref', 'ORIG_HEAD', commits[1]!);
  run('update-ref', 'refs/bisect/bad', commits[2]!);
  if (packed) run('pack-refs', '--all');
  run('update-ref', 'refs/heads/late', commits[1]!);
  if (detached) run('update-ref', '--no-deref', 'HEAD', commits[1]!);
  return folder;
}

/** All that Git reads of a repository's refs. */
function stateOf(folder: string): string {
  const run = (...args: string[]) => git.output(args, { cwd: folder });
  const format = '%(refname) %(objectname) %(symref) %(*objectname)';
  const listed = run('for-each-ref', '--include-root-refs', `--format=${format}`);
  const head = git.run(['symbolic-ref', 'HEAD'], { cwd: folder }).stdout;
  const gitDir = run('rev-parse', '--absolute-git-dir').trim();
  using store = openRefStore(gitDir);
  const logs = [...store.reflogNames()]
    .sort()
    .flatMap((name) =>
      [...store.reflog(name)].map(({ updateIndex, ...entry }) => JSON.stringify([name, entry])),
    );
  const shown = git.run(['reflog', 'show', '--date=raw', 'refs/heads/main'], { cwd: folder });
  const shownOfHead = git.run(['reflog', 'show', '--date=raw', 'HEAD'], { cwd: folder });
  return [listed, head, ...logs, shown.stdout, shownOfHead.stdout].join('\n');
}

function gitDirOf(folder: string): string {
  return git.output(['rev-parse', '--absolute-git-dir'], { cwd: folder }).trim();
}

const WAYS = {
  git: async (folder: string, to: Format) => {
    git.output(['refs', 'migrate', `--ref-format=${to}`], { cwd: folder });
  },
  us: async (folder: string, to: Format) => {
    await migrateRefStorage(gitDirOf(folder), { to, env: ENVIRONMENT });
  },
};

describeWithGit('a migration', () => {
  beforeAll(buildCommandLine);

  it.each(KINDS.map((kind, i) => [i, kind] as const))(
    'keeps everything, there and back, by Git and by us: repository %i',
    async (_, kind) => {
      const original = makeRepository(kind);
      const before = stateOf(original);
      for (const there of [WAYS.git, WAYS.us]) {
        for (const back of [WAYS.git, WAYS.us]) {
          await there(original, 'reftable');
          expect(stateOf(original)).toBe(before);
          await back(original, 'files');
          expect(stateOf(original)).toBe(before);
        }
      }
      expect(readdirSync(gitDirOf(original)).filter((name) => name.startsWith('ref_'))).toEqual([]);
      const { code } = git.run(['refs', 'verify'], { cwd: original });
      expect(code).toBe(0);
    },
    60_000,
  );

  it('leaves the same configuration and stub files as Git', async () => {
    const [theirs, ours] = [makeRepository(KINDS[0]!), makeRepository(KINDS[0]!)];
    for (const to of ['reftable', 'files'] as const) {
      await WAYS.git(theirs, to);
      await WAYS.us(ours, to);
      const [config, others] = [theirs, ours].map((cwd) =>
        git.output(['config', '--local', '--list'], { cwd }).split('\n').sort(),
      );
      expect(others).toEqual(config);
      for (const file of to === 'reftable' ? ['HEAD', 'refs/heads'] : ['HEAD']) {
        const read = (folder: string) => readFileSync(join(folder, '.git', file), 'utf8');
        expect(read(ours)).toBe(read(theirs));
      }
    }
  });

  it.each([
    '[core] repositoryformatversion = 0\n',
    '[CORE]\n\tRepositoryFormatVersion=0\n[core] bare = false\n',
    '[core]\n\trepositoryformatversion = \\\n 0\n\tbare = false\n',
    '[core]\n\trepositoryformatversion = 0 ; odd\n[extensions]\n[core]\nrepositoryformatversion = 0\n',
  ])('leaves a repository that opens, however %j is written', async (config) => {
    const folder = makeRepository(KINDS[0]!);
    const before = stateOf(folder);
    writeFileSync(join(folder, '.git/config'), config);
    for (const to of ['reftable', 'files'] as const) {
      await WAYS.us(folder, to).catch(({ code }) =>
        expect(['INVALID_CONFIG', 'INVALID_ARGUMENT']).toContain(code),
      );
      expect(stateOf(folder)).toBe(before);
    }
  });

  it('follows a link that config is', async () => {
    const folder = makeRepository(KINDS[0]!);
    const [path, elsewhere] = [join(folder, '.git/config'), join(folder, 'config')];
    renameSync(path, elsewhere);
    symlinkSync('../config', path);
    await WAYS.us(folder, 'reftable');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, 'utf8')).toContain('reftable');
  });

  it('is refused in the words of Git', () => {
    const folder = makeRepository(KINDS[0]!);
    const same = (...args: string[]) => {
      const theirs = git.run(['refs', 'migrate', ...args], { cwd: folder });
      const ours = reftable(['refs', 'migrate', ...args], { cwd: folder });
      expect([ours.code, ours.stdout, ours.stderr]).toEqual([
        ...[theirs.code, theirs.stdout, theirs.stderr],
      ]);
    };
    same('--ref-format=files');
    same('--ref-format=other');
    same('--ref-format=reftable', 'more');
    same();
    git.output(['worktree', 'add', '-q', 'linked', 'late'], { cwd: folder });
    same('--ref-format=reftable');
  });

  it('may be tried, which changes nothing', () => {
    const folder = makeRepository(KINDS[3]!);
    const before = stateOf(folder);
    const args = ['refs', 'migrate', '--ref-format=reftable', '--dry-run'];
    const { code, stdout } = reftable(args, { cwd: folder });
    expect(code).toBe(0);
    const [, path] = /^Finished dry-run .* found at '(.*)'\n$/.exec(stdout) ?? [];
    expect(existsSync(join(path!, 'reftable/tables.list'))).toBe(true);
    expect(stateOf(folder)).toBe(before);
  });

  it('leaves reflogs out if it is told to', async () => {
    const folder = makeRepository(KINDS[0]!);
    await migrateRefStorage(gitDirOf(folder), { to: 'reftable', reflogs: false });
    using store = openRefStore(gitDirOf(folder));
    expect([...store.reflogNames()]).toEqual([]);
  });

  it('waits for no writer that is at work, and changes nothing', async () => {
    const folder = makeRepository(KINDS[1]!);
    const before = stateOf(folder);
    for (const lock of ['refs/heads/late.lock', 'HEAD.lock', 'packed-refs.lock', 'config.lock']) {
      const path = join(folder, '.git', lock);
      writeFileSync(path, '');
      await expect(WAYS.us(folder, 'reftable')).rejects.toMatchObject({ code: 'LOCKED' });
      rmSync(path);
      expect(stateOf(folder)).toBe(before);
    }
    await WAYS.us(folder, 'reftable');
    expect(stateOf(folder)).toBe(before);
  });

  it('is refused where a ref is damaged, which Git would lose', async () => {
    const folder = makeRepository(KINDS[0]!);
    writeFileSync(join(folder, '.git/refs/heads/broken'), 'nonsense');
    await expect(WAYS.us(folder, 'reftable')).rejects.toMatchObject({ code: 'CORRUPT_REF' });
    expect(git.output(['rev-parse', '--show-ref-format'], { cwd: folder })).toBe('files\n');
  });

  it(
    'that is killed leaves a repository with everything in it',
    async () => {
      const folder = makeRepository({ ...KINDS[1]!, refs: 300 });
      const before = stateOf(folder);
      const [node, script] = commandLine();
      let killed = 0;
      let longest = 300;
      for (let i = 0; i < KILLS; i++) {
        const to = git.output(['rev-parse', '--show-ref-format'], { cwd: folder }).trim();
        const other = to === 'files' ? 'reftable' : 'files';
        const args = [script, 'refs', 'migrate', `--ref-format=${other}`];
        const start = performance.now();
        const child = spawn(node, args, { cwd: folder, env: ENVIRONMENT, stdio: 'pipe' });
        let complaint = '';
        child.stderr.on('data', (text) => {
          complaint += text;
        });
        const ended = new Promise<string | number | null>((resolve) => {
          child.on('close', (code, signal) => resolve(signal ?? code));
        });
        await Promise.race([ended, after(40 + Math.random() * longest)]);
        child.kill('SIGKILL');
        const end = await ended;
        if (end === 'SIGKILL') killed++;
        else {
          longest = performance.now() - start;
          expect([end, complaint]).toEqual([0, '']);
        }
        expect(stateOf(folder)).toBe(before);
      }
      expect(killed).toBeGreaterThan(0);
      const { code } = git.run(['refs', 'verify'], { cwd: folder });
      expect(code).toBe(0);
    },
    60_000 + KILLS * 2000,
  );
});
