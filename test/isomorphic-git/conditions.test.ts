import * as nodeFs from 'node:fs';
import { appendFileSync, chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as iso from 'isomorphic-git';
import { expect, it } from 'vitest';
import { RefError, withReftable } from '../../src/isomorphic-git/index.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const author = { name: 'Ann Author', email: 'ann@example.com' };

function makeRepository(...options: string[]) {
  const dir = temporaryFolder();
  git.output(['init', '-q', '--ref-format=reftable', ...options, dir]);
  const run = (...args: string[]) => git.output(args, { cwd: dir }).trimEnd();
  run('commit', '-q', '--allow-empty', '-m', 'first');
  const fs = withReftable(nodeFs);
  return { dir, run, fs, at: { fs, dir }, oid: run('rev-parse', 'HEAD') };
}

const coded = (code: string) => expect.objectContaining({ code });

describeWithGit('the files that refs look like', () => {
  it('are told apart as files and folders are', async () => {
    const { dir, run, fs, oid } = makeRepository();
    run('branch', 'a/b');
    const { promises } = fs;
    const path = (name: string) => join(dir, '.git', name);
    expect(await promises.readFile(path('HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
    const bytes = await promises.readFile(path('refs/heads/a/b'));
    expect(new TextDecoder().decode(bytes as Uint8Array)).toBe(`${oid}\n`);
    expect(await promises.readdir(path('refs/heads'))).toEqual(['a', 'main']);
    expect((await promises.stat(path('refs/heads/main'))).size).toBe(41);
    expect(await promises.readdir(path('refs'))).toEqual(['heads', 'tags']);
    expect((await promises.stat(path('refs/heads/main'))).isFile()).toBe(true);
    expect((await promises.stat(path('refs/heads/main'))).size).toBe(41);
    expect((await promises.lstat(path('refs/heads/a'))).isDirectory()).toBe(true);
    expect(await promises.readFile(path('logs/HEAD'), 'utf8')).toBe(
      `${'0'.repeat(40)} ${oid} Cy Committer <cy@example.com> 1700000060 -0230\tcommit (initial): first\n`,
    );
    for (const [work, code] of [
      [() => promises.readFile(path('packed-refs')), 'ENOENT'],
      [() => promises.readFile(path('refs/heads/none')), 'ENOENT'],
      [() => promises.readFile(path('refs/heads/a')), 'EISDIR'],
      [() => promises.readFile(path('refs/heads/main/x')), 'ENOTDIR'],
      [() => promises.readdir(path('refs/heads/main')), 'ENOTDIR'],
      [() => promises.readdir(path('refs/heads/none')), 'ENOENT'],
      [() => promises.writeFile(path('refs/heads/a'), oid), 'ENOTDIR'],
      [() => promises.writeFile(path('refs/heads/main/x'), oid), 'ENOTDIR'],
      [() => promises.writeFile(path('refs/heads/x'), 'what?'), 'EINVAL'],
      [() => promises.writeFile(path('refs/heads/..x'), oid), 'EINVAL'],
      [() => promises.unlink(path('refs/heads/none')), 'ENOENT'],
      [() => promises.unlink(path('HEAD')), 'EPERM'],
      [() => promises.rmdir(path('refs/heads')), 'ENOTEMPTY'],
      [() => promises.mkdir(path('refs/heads')), 'EEXIST'],
    ] as const) {
      await expect(work()).rejects.toThrow(coded(code));
    }
    await promises.rename!(path('refs/heads/a/b'), path('refs/heads/c'));
    expect(run('for-each-ref', '--format=%(refname)')).toBe('refs/heads/c\nrefs/heads/main');
    await fs.close();
  });

  it('are those of a files repository before and after it is migrated', async () => {
    const { run, fs, at, oid } = makeRepository();
    expect(await iso.resolveRef({ ...at, ref: 'main' })).toBe(oid);
    run('refs', 'migrate', '--ref-format=files');
    await iso.branch({ ...at, ref: 'topic' });
    expect(run('rev-parse', 'topic')).toBe(oid);
    expect(readFileSync(join(at.dir, '.git/refs/heads/topic'), 'utf8')).toBe(`${oid}\n`);
    run('refs', 'migrate', '--ref-format=reftable');
    expect(await iso.listBranches(at)).toEqual(['main', 'topic']);
    await iso.branch({ ...at, ref: 'another' });
    expect(run('rev-parse', 'another')).toBe(oid);
    await fs.close();
  });

  it('are up to date with what Git does', async () => {
    const { run, fs, at } = makeRepository();
    for (let i = 0; i < 5; i++) {
      run('commit', '-q', '--allow-empty', '-m', `number ${i}`);
      expect(await iso.resolveRef({ ...at, ref: 'HEAD' })).toBe(run('rev-parse', 'HEAD'));
      run('branch', `b${i}`);
      expect(await iso.listBranches(at)).toContain(`b${i}`);
      run('pack-refs', '--all');
    }
    await fs.close();
  });

  it('are seen from a linked worktree', async () => {
    const { dir, run, fs, oid } = makeRepository();
    const linked = join(temporaryFolder(), 'linked');
    run('worktree', 'add', '-q', '-b', 'topic', linked);
    const at = { fs, dir: linked };
    expect(await iso.currentBranch(at)).toBe('topic');
    expect(await iso.resolveRef({ ...at, ref: 'main' })).toBe(oid);
    expect(await iso.currentBranch({ fs, dir })).toBe('main');
    await fs.close();
  });

  it('stay what they are while the configuration changes', async () => {
    const { run, fs, at, oid } = makeRepository();
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        await iso.setConfig({ ...at, path: `test.key${i}`, value: `${'x'.repeat(i)}` });
        await iso.branch({ ...at, ref: `b${i}` });
        expect(await iso.resolveRef({ ...at, ref: `b${i}` })).toBe(oid);
      }),
    );
    expect(run('for-each-ref', '--format=%(refname)', 'refs/heads/b*').split('\n')).toHaveLength(
      30,
    );
    await fs.close();
  });

  it('that are written at once become few tables', async () => {
    const { dir, run, fs, at, oid } = makeRepository();
    const names = Array.from({ length: 200 }, (_, i) => `refs/heads/n${i}`);
    await Promise.all(names.map((ref) => iso.writeRef({ ...at, ref, value: oid })));
    expect(run('for-each-ref', '--format=%(refname)', 'refs/heads/n*').split('\n')).toHaveLength(
      200,
    );
    const tables = readFileSync(join(dir, '.git/reftable/tables.list'), 'utf8').split('\n');
    const last = /^0x[0-9a-f]+-0x([0-9a-f]+)/.exec(tables.at(-2)!)![1]!;
    expect(Number.parseInt(last, 16)).toBeGreaterThan(200);
    await fs.close();
  });
});

describeWithGit('what isomorphic-git is told', () => {
  it('of a damaged table, whichever way it asks', async () => {
    const { dir, at } = makeRepository();
    const stack = join(dir, '.git/reftable');
    for (const name of readdirSync(stack).filter((each) => each.endsWith('.ref'))) {
      const file = join(stack, name);
      const bytes = readFileSync(file);
      bytes.fill(0xff, 30, 60);
      chmodSync(file, 0o644);
      writeFileSync(file, bytes);
    }
    const damage = coded('CORRUPT_TABLE');
    await expect(iso.resolveRef({ ...at, ref: 'HEAD' })).rejects.toThrow(damage);
    await expect(iso.listBranches(at)).rejects.toThrow(damage);
    await expect(iso.commit({ ...at, message: 'x', author })).rejects.toThrow(damage);
    await expect(iso.branch({ ...at, ref: 'x' })).rejects.toBeInstanceOf(RefError);
  });

  it('of an extension or a version that is not known', async () => {
    const { dir, run, fs, at, oid } = makeRepository();
    const config = join(dir, '.git/config');
    const before = readFileSync(config, 'utf8');
    appendFileSync(config, '[extensions]\n\tworksInTheFuture = true\n');
    const message = expect.stringContaining('worksinthefuture');
    const refusal = expect.objectContaining({ code: 'UNSUPPORTED_REPOSITORY', message });
    await expect(iso.resolveRef({ ...at, ref: 'main' })).rejects.toThrow(refusal);
    await expect(iso.listBranches(at)).rejects.toThrow(refusal);
    writeFileSync(config, before);
    expect(await iso.resolveRef({ ...at, ref: 'main' })).toBe(oid);
    expect(run('rev-parse', 'main')).toBe(oid);
    await fs.close();
  });

  it('of an object that does not exist', async () => {
    const { fs, at } = makeRepository();
    const missing = iso.writeRef({ ...at, ref: 'refs/heads/x', value: '1'.repeat(40) });
    await expect(missing).rejects.toThrow(coded('INVALID_NEW_VALUE'));
    expect(await iso.listBranches(at)).toEqual(['main']);
    await fs.close();
  });

  it('of a lock that somebody holds, and nothing of it when it reads', async () => {
    const { dir, fs, at, oid } = makeRepository();
    writeFileSync(join(dir, '.git/reftable/tables.list.lock'), '');
    await expect(iso.branch({ ...at, ref: 'x' })).rejects.toThrow(coded('LOCKED'));
    expect(await iso.resolveRef({ ...at, ref: 'HEAD' })).toBe(oid);
    expect(await iso.listBranches(at)).toEqual(['main']);
    await fs.close();
  });

  it('by a file system that refuses to write: what it reads', async () => {
    const { dir, oid } = makeRepository();
    const refuse = () => Promise.reject(Object.assign(new Error('EROFS'), { code: 'EROFS' }));
    const { readFile, readdir, stat, lstat, readlink } = nodeFs.promises;
    const writing = {
      writeFile: refuse,
      mkdir: refuse,
      rmdir: refuse,
      unlink: refuse,
      symlink: refuse,
    };
    const fs = withReftable({
      promises: {
        ...writing,
        // Not Node's own functions: the tables are read through what is given.
        readFile: (path: string, options?: 'utf8') => readFile(path, options),
        ...{ readdir, stat, lstat, readlink },
      },
    });
    const at = { fs, dir };
    expect(await iso.resolveRef({ ...at, ref: 'HEAD' })).toBe(oid);
    expect(await iso.listBranches(at)).toEqual(['main']);
    expect(await iso.log(at)).toHaveLength(1);
    const refusal = { code: 'IO', cause: coded('EROFS') };
    await expect(iso.branch({ ...at, ref: 'x' })).rejects.toMatchObject(refusal);
    await fs.close();
  });

  it('of what is no file system', () => {
    expect(() => withReftable('x' as never)).toThrow(coded('INVALID_ARGUMENT'));
  });
});

it('hands on what is no ref', async () => {
  const dir = temporaryFolder();
  const fs = withReftable(nodeFs);
  await fs.promises.mkdir(join(dir, 'refs'));
  await fs.promises.writeFile(join(dir, 'refs/HEAD'), 'text');
  await fs.promises.writeFile(join(dir, 'config'), '<xml/>');
  expect(await fs.promises.readFile(join(dir, 'refs/HEAD'), 'utf8')).toBe('text');
  expect(await fs.promises.readdir(dir)).toEqual(['config', 'refs']);
  await fs.promises.rm!(join(dir, 'refs'), { recursive: true });
  await expect(fs.promises.stat(join(dir, 'refs'))).rejects.toThrow(coded('ENOENT'));
});
