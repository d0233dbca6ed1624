// What holds for the command line whatever the command: help, versions, options, where it works, how it
// fails.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { writeLooseCommit } from '../support/loose-object.ts';
import { repositoryOf } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, commandLine, reftable } from './command-line.ts';

const COMMANDS = [
  'init',
  'show-ref',
  'for-each-ref',
  'update-ref',
  'symbolic-ref',
  'refs',
  'reflog',
  'pack-refs',
  'check-ref-format',
  'upload-pack',
  'serve',
  'dump',
  'stack',
  'inspect',
  'doctor',
  'explore',
  'demo',
];

/** Git reads the options of the others by itself, and names none that it does not know. */
const PARSED = COMMANDS.filter((name) => name !== 'check-ref-format' && name !== 'reflog');

beforeAll(buildCommandLine);

describe('help', () => {
  it('tells the version', () => {
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
    );
    expect(reftable(['--version']).stdout).toBe(`reftable version ${version}\n`);
  });

  it('lists the commands', () => {
    const { code, stdout } = reftable(['--help']);
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^ {4}([a-z][a-z-]*) {3,}/gm)].map(([, name]) => name)).toEqual(
      COMMANDS,
    );
    expect(reftable(['help']).stdout).toBe(stdout);
    expect(reftable(['-h']).stdout).toBe(stdout);
  });

  it.each(COMMANDS)('tells how to use %s', (command) => {
    const { code, stdout } = reftable([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^usage: reftable ${command}\\b`));
    expect(reftable([command, '-h'])).toMatchObject({ code: 129, stdout, stderr: '' });
    expect(reftable(['help', command]).stdout).toBe(stdout);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(105);
  });

  it.each(PARSED)('tells how to use %s when it was called the wrong way', (command) => {
    const gitDir = repositoryOf(fixture('minimal'));
    const args = ['--git-dir', gitDir, command, '--no-such-option'];
    const { code, stdout, stderr } = reftable(args);
    expect({ code, stdout }).toEqual({ code: 129, stdout: '' });
    const { stdout: help } = reftable([command, '--help']);
    expect(stderr).toBe(`error: unknown option \`no-such-option'\n${help}`);
  });

  it('is shown to those who call no command, or none that there is', () => {
    expect(reftable([])).toMatchObject({ code: 129, stdout: '' });
    expect(reftable(['nonsense']).stderr).toMatch(/^error: unknown command: nonsense\nusage: /);
    expect(reftable(['--nonsense']).stderr).toMatch(/^unknown option: --nonsense\nusage: /);
    expect(reftable(['-C']).stderr).toMatch(/^no directory given for '-C' option\nusage: /);
  });
});

/** Makes a repository with one commit, on its branch main; gives its path. */
function repositoryWithCommit(): string {
  const gitDir = join(temporaryFolder(), 'repository');
  reftable(['init', '-q', '-b', 'main', '--bare', gitDir]);
  const env = { GIT_DIR: gitDir };
  reftable(['update-ref', 'refs/heads/main', writeLooseCommit(gitDir)], { env });
  return gitDir;
}

describe('options', () => {
  const gitDir = () => repositoryWithCommit();

  it('may stand anywhere, be shortened, run together and negated', () => {
    const options = ['--git-dir', gitDir()];
    const run = (...args: string[]) => reftable([...options, 'show-ref', ...args]).stdout;
    const full = run('--hash', '--head');
    expect(full.split('\n')).toHaveLength(3);
    expect(run('main', '--head', '--hash')).toBe(full);
    expect(run('--has', '--branc')).toBe(run('--hash', '--branches'));
    expect(run('-ds', '--head')).toBe(full);
    expect(run('--quiet', '--no-quiet', '--head', '--dereference')).toBe(run('--head'));
    expect(run('--head', '--', '--hash')).toBe(run('--head', 'nothing'));
    expect(run('--head', '--end-of-options', '--hash')).toBe(run('--head', 'nothing'));
  });

  it('that are ambiguous or short of a value are refused', () => {
    const env = { GIT_DIR: gitDir() };
    expect(reftable(['show-ref', '--he'], { env }).stderr).toMatch(
      /^error: ambiguous option: he \(could be --heads or --head\)\n/,
    );
    expect(reftable(['update-ref', '-m'], { env })).toMatchObject({
      code: 129,
      stderr: "error: switch `m' requires a value\n",
    });
    expect(reftable(['show-ref', '--head=yes'], { env })).toMatchObject({
      code: 129,
      stderr: "error: option `head' takes no value\n",
    });
  });
});

describe('the repository', () => {
  it('is the one around the folder, or that of -C, or of --git-dir', () => {
    const gitDir = repositoryWithCommit();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, '.git'), `gitdir: ${gitDir}\n`);
    const expected = reftable(['--git-dir', gitDir, 'show-ref']).stdout;
    expect(expected).toContain(' refs/heads/main\n');
    expect(reftable(['show-ref'], { cwd: join(folder, 'sub') }).stdout).toBe(expected);
    expect(reftable(['-C', folder, '-C', 'sub', 'show-ref']).stdout).toBe(expected);
    expect(reftable([`--git-dir=${gitDir}`, 'show-ref']).stdout).toBe(expected);
    expect(reftable(['show-ref'], { env: { GIT_DIR: gitDir } }).stdout).toBe(expected);
  });

  it('is missed without a stack trace', () => {
    const folder = temporaryFolder();
    const env = { GIT_CEILING_DIRECTORIES: join(folder, '..') };
    expect(reftable(['show-ref'], { cwd: folder, env })).toMatchObject({
      code: 128,
      stdout: '',
      stderr: 'fatal: not a git repository (or any of the parent directories): .git\n',
    });
    expect(reftable(['-C', join(folder, 'nothing'), 'show-ref'])).toMatchObject({
      code: 128,
      stderr: `fatal: cannot change to '${folder}/nothing': No such file or directory\n`,
    });
  });

  it.each([
    'show-ref',
    'refs',
    'reflog',
    'symbolic-ref',
    'update-ref',
    'for-each-ref',
    'pack-refs',
  ])('is missed by %s before its options are read', (command) => {
    const folder = temporaryFolder();
    const env = { GIT_CEILING_DIRECTORIES: join(folder, '..') };
    const stderr = 'fatal: not a git repository (or any of the parent directories): .git\n';
    expect(reftable([command, '--nonsense'], { cwd: folder, env })).toMatchObject({
      code: 128,
      stderr,
    });
    expect(reftable([command, '-h'], { cwd: folder, env }).code).toBe(129);
  });

  it('is refused where its format is not known', () => {
    const gitDir = repositoryOf(fixture('minimal'));
    writeFileSync(join(gitDir, 'config'), '[core]\n\trepositoryFormatVersion = 7\n');
    expect(reftable(['--git-dir', gitDir, 'show-ref'])).toMatchObject({
      code: 128,
      stderr: 'fatal: Expected git repo version <= 1, found 7\n',
    });
  });
});

describe('output', () => {
  it('ends quietly when nobody reads it any more', () => {
    const gitDir = repositoryOf(fixture('many-refs'));
    // Three thousand refs, more than a pipe holds; `head` leaves after the first line.
    const args = ['-c', '"$0" "$@" | head -n 1', ...commandLine(), '--git-dir', gitDir];
    args.push('for-each-ref', '--format=%(objectname) %(refname)');
    const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    expect(stdout).toMatch(/^[0-9a-f]{40} refs\/heads\/main\n$/);
    expect(stderr).toBe('');
  });
});

describe('input', () => {
  it('is answered as it comes, for programs that wait for the answer', async () => {
    const gitDir = repositoryWithCommit();
    const oid = writeLooseCommit(gitDir);
    const [node, script] = commandLine();
    const session = spawn(node, [script, '--git-dir', gitDir, 'update-ref', '--stdin']);
    const answer = async () => String((await once(session.stdout, 'data'))[0]);
    session.stdin.write('start\n');
    expect(await answer()).toBe('start: ok\n');
    session.stdin.write(`create refs/heads/new ${oid}\ncommit\n`);
    expect(await answer()).toBe('commit: ok\n');
    const { stdout } = reftable(['--git-dir', gitDir, 'show-ref', 'new']);
    expect(stdout).toBe(`${oid} refs/heads/new\n`);
    session.stdin.end();
    expect(await once(session, 'close')).toEqual([0, null]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'that is waited for with the lock held keeps nobody from ending the process by %s',
    async (signal) => {
      const gitDir = repositoryWithCommit();
      const oid = writeLooseCommit(gitDir);
      const [node, script] = commandLine();
      const session = spawn(node, [script, '--git-dir', gitDir, 'update-ref', '--stdin']);
      session.stdin.write(`start\ncreate refs/heads/new ${oid}\nprepare\n`);
      for (let said = ''; !said.includes('prepare: ok\n'); ) {
        said += String((await once(session.stdout, 'data'))[0]);
      }
      const lock = join(gitDir, 'reftable/tables.list.lock');
      expect(existsSync(lock)).toBe(true);
      session.kill(signal);
      expect(await once(session, 'close')).toEqual([null, signal]);
      expect(existsSync(lock)).toBe(false);
      expect(reftable(['--git-dir', gitDir, 'show-ref', 'new']).code).toBe(1);
    },
  );
});

describe('init', () => {
  it('makes a repository where it is told', () => {
    const folder = temporaryFolder();
    const made = reftable(['init', '-b', 'trunk', 'new/place'], { cwd: folder });
    const path = join(folder, 'new/place/.git');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toBe(`Initialized empty Git repository in ${path}/\n`);
    expect(reftable(['-C', join(folder, 'new/place'), 'symbolic-ref', 'HEAD']).stdout).toBe(
      'refs/heads/trunk\n',
    );
    expect(reftable(['init', '-b', 'other', 'new/place'], { cwd: folder })).toMatchObject({
      code: 0,
      stdout: `Reinitialized existing Git repository in ${path}/\n`,
      stderr: 'warning: re-init: ignored --initial-branch=other\n',
    });
    expect(reftable(['init', '-q', '--bare', 'bare.git'], { cwd: folder }).stdout).toBe('');
    expect(readdirSync(join(folder, 'bare.git'))).toContain('reftable');
  });

  it('refuses what it does not know', () => {
    expect(reftable(['init', '--object-format=md5', 'x'])).toMatchObject({
      code: 128,
      stderr: "fatal: unknown hash algorithm 'md5'\n",
    });
    expect(reftable(['init', '--ref-format=rocks', 'x'])).toMatchObject({
      code: 128,
      stderr: "fatal: unknown ref storage format 'rocks'\n",
    });
    expect(reftable(['init', '-b', 'a..b', 'x'])).toMatchObject({
      code: 128,
      stderr: "fatal: invalid initial branch name: 'a..b'\n",
    });
  });
});

describe('demo', () => {
  it('shows concurrent writers, refs, a reflog and the stack, and leaves nothing behind', () => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = reftable(['demo'], { env: { TMPDIR: folder } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^• 4 writers at once made 3 branches each, in /m);
    expect(stdout).toMatch(/^• Two writers raced for main, and one was refused: cannot lock ref /m);
    expect(stdout).toMatch(/^refs {2}15 refs\n {2}HEAD +-> refs\/heads\/main$/m);
    expect(stdout).toMatch(/^reflog of HEAD\n {2}[0-9a-f]{7} {2}HEAD@\{0\} {2}Ada Demo {2}push: /m);
    expect(stdout).toMatch(/reftable {2}\d+ tables?, /);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('shows a repository that is there', () => {
    const gitDir = repositoryOf(fixture('many-refs'));
    const { code, stdout } = reftable(['demo', gitDir]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^refs {2}3,50\d refs\n {2}HEAD +-> refs\/heads\/main$/m);
    expect(stdout).toMatch(/^ {2}… and 3,48\d more$/m);
    expect(stdout).toContain('  a1f1953  HEAD@{0}  Cy Committer  commit (initial): first\n');
    expect(stdout).toContain('Geometric: ');
  });
});
