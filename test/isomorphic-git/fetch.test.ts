import * as nodeFs from 'node:fs';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as iso from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import { beforeEach, expect, it } from 'vitest';
import { withReftable } from '../../src/isomorphic-git/index.ts';
import { describeWithGit, git } from '../support/git.ts';
import { serveRepositories } from '../support/http-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const REFS = 10_000;

const show = (cwd: string, ...args: string[]) => git.output(args, { cwd });
const FORMAT = '--format=%(refname:lstrip=-1) %(objectname) %(*objectname)';

describeWithGit('fetching with isomorphic-git into a reftable repository', () => {
  let root: string;
  let server: string;
  beforeEach(() => {
    root = temporaryFolder();
    server = join(root, 'server.git');
    git.output(['init', '-q', '--bare', '--ref-format=reftable', '-b', 'master', server]);
    commit('refs/heads/master', 'first');
    show(server, 'tag', '-a', '-m', 'one', 'v1', 'master');
  });

  function commit(ref: string, message: string): string {
    const tree = git.output(['mktree'], { cwd: server }).trim();
    const oid = show(server, 'commit-tree', '-m', message, tree).trim();
    show(server, 'update-ref', ref, oid);
    return oid;
  }

  /** The lists that were written into a stack, as the tables that Git does not remove tell. */
  async function countingTables(work: (fs: iso.PromiseFsClient) => Promise<unknown>, dir: string) {
    const tables = new Set<string>();
    const stack = join(dir, '.git/reftable');
    const look = () => {
      for (const name of nodeFs.existsSync(stack) ? readdirSync(stack) : []) {
        if (name.endsWith('.ref')) tables.add(name);
      }
    };
    const watched = { ...nodeFs.promises };
    const fs = withReftable(nodeFs, { initRefFormat: 'reftable' });
    // Between any two calls there is a look.
    const promises = Object.fromEntries(
      Object.entries(fs.promises).map(([name, call]) => [
        name,
        async (...given: never[]) => {
          try {
            return await call(...given);
          } finally {
            look();
          }
        },
      ]),
    ) as unknown as typeof watched;
    await work({ promises });
    await fs.close();
    look();
    return tables;
  }

  it('clones 10,000 refs with at most three tables', async () => {
    const oid = show(server, 'rev-parse', 'master').trim();
    const updates = Array.from({ length: REFS }, (_, i) => {
      const name = i % 2 === 0 ? `refs/tags/t${i}` : `refs/heads/n/${i}`;
      return `create ${name} ${oid}\n`;
    });
    git.output(['update-ref', '--stdin'], { cwd: server, input: updates.join('') });
    const url = `${await serveRepositories(root)}/server.git`;
    const dir = temporaryFolder();
    const tables = await countingTables((fs) => iso.clone({ fs, http, dir, url }), dir);
    expect(tables.size).toBeLessThanOrEqual(3);

    const refs = (cwd: string, prefix: string) => show(cwd, 'for-each-ref', FORMAT, prefix);
    expect(refs(dir, 'refs/tags')).toBe(refs(server, 'refs/tags'));
    const remote = show(dir, 'for-each-ref', '--format=%(refname:lstrip=3)', 'refs/remotes/origin');
    const heads = show(server, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads');
    expect(remote.replace('HEAD\n', '')).toBe(heads);
    expect(show(dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/master\n');
    expect(show(dir, 'symbolic-ref', 'refs/remotes/origin/HEAD')).toBe(
      'refs/remotes/origin/master\n',
    );
    expect(show(dir, 'rev-parse', 'HEAD').trim()).toBe(oid);
    expect(show(dir, 'status', '--porcelain')).toBe('');
    expect(git.run(['fsck', '--no-dangling', '--no-progress'], { cwd: dir })).toMatchObject({
      code: 0,
      stdout: '',
    });
  });

  it('fetches what is new, prunes what has gone, pulls and pushes', async () => {
    commit('refs/heads/gone', 'second');
    const url = `${await serveRepositories(root)}/server.git`;
    const dir = temporaryFolder();
    const fs = withReftable(nodeFs, { initRefFormat: 'reftable' });
    const at = { fs, dir };
    await iso.clone({ ...at, http, url });
    const author = { name: 'Ann Author', email: 'ann@example.com' };
    await iso.setConfig({ ...at, path: 'user.name', value: author.name });
    await iso.setConfig({ ...at, path: 'user.email', value: author.email });

    show(server, 'update-ref', '-d', 'refs/heads/gone');
    const next = show(
      server,
      ...['commit-tree', '-m', 'next', '-p', 'master', 'master^{tree}'],
    ).trim();
    show(server, 'update-ref', 'refs/heads/master', next);
    show(server, 'tag', 'existing', 'v1^{}');
    const { pruned } = await iso.fetch({ ...at, http, prune: true, tags: true });
    expect(pruned).toEqual(['refs/remotes/origin/gone']);
    expect(show(dir, 'rev-parse', 'origin/master').trim()).toBe(next);
    expect(show(dir, 'rev-parse', 'existing')).toBe(show(dir, 'rev-parse', 'v1^{}'));
    expect(git.run(['rev-parse', '-q', '--verify', 'origin/gone'], { cwd: dir }).code).toBe(1);
    await iso.pull({ ...at, http, author });
    expect(show(dir, 'rev-parse', 'HEAD').trim()).toBe(next);

    await nodeFs.promises.writeFile(join(dir, 'file'), 'text');
    await iso.add({ ...at, filepath: 'file' });
    const ours = await iso.commit({ ...at, message: 'ours', author });
    await iso.push({ ...at, http });
    expect(show(server, 'rev-parse', 'master').trim()).toBe(ours);
    expect(show(dir, 'rev-parse', 'origin/master').trim()).toBe(ours);
    const log = show(dir, 'reflog', 'show', '--format=%H', 'origin/master').trim().split('\n');
    expect(log.slice(0, 2)).toEqual([ours, next]);
    await fs.close();
  });

  it('leaves nothing of a clone that fails, and clones to the same place then', async () => {
    const url = await serveRepositories(root);
    const dir = temporaryFolder();
    const fs = withReftable(nodeFs, { initRefFormat: 'reftable' });
    await expect(
      iso.clone({ fs, http, dir, url: 'http://127.0.0.1:1/nothing.git' }),
    ).rejects.toThrow();
    expect(readdirSync(dir)).toEqual([]);
    await iso.clone({ fs, http, dir, url: `${url}/server.git`, ref: 'v1', depth: 1 });
    expect(await iso.listTags({ fs, dir })).toEqual(['v1']);
    expect(show(dir, 'rev-parse', 'HEAD')).toBe(show(server, 'rev-parse', 'v1^{}'));
    expect(show(dir, 'for-each-ref', FORMAT, 'refs/tags')).toBe(
      show(server, 'for-each-ref', FORMAT, 'refs/tags'),
    );
    await fs.close();
  });

  it('holds what it fetches until the pack is there, whatever happens meanwhile', async () => {
    const url = `${await serveRepositories(root)}/server.git`;
    const dir = temporaryFolder();
    const fs = withReftable(nodeFs, { initRefFormat: 'reftable' });
    await iso.init({ fs, dir });
    await iso.addRemote({ fs, dir, remote: 'origin', url });
    const master = show(server, 'rev-parse', 'master').trim();
    const seen: unknown[] = [];
    const { writeFile } = fs.promises;
    const watched = {
      ...fs.promises,
      writeFile: async (...given: Parameters<typeof writeFile>) => {
        if (given[0].endsWith('.pack')) {
          await iso.setConfig({ fs, dir, path: 'user.name', value: 'Ann Author' });
          seen.push(await iso.listBranches({ fs, dir, remote: 'origin' }));
          seen.push(await iso.resolveRef({ fs, dir, ref: 'origin/master' }));
          seen.push(show(dir, 'for-each-ref'));
        }
        return writeFile(...given);
      },
    };
    await iso.fetch({ fs: { promises: watched } as never, dir, http });
    expect(seen).toEqual([['HEAD', 'master'], master, '']);
    expect(show(dir, 'rev-parse', 'origin/master').trim()).toBe(master);
    await fs.close();
  });

  it('keeps nothing of a fetch whose pack does not come', async () => {
    const url = `${await serveRepositories(root)}/server.git`;
    const dir = temporaryFolder();
    const fs = withReftable(nodeFs, { initRefFormat: 'reftable' });
    await iso.init({ fs, dir });
    await iso.addRemote({ fs, dir, remote: 'origin', url });
    const { writeFile } = fs.promises;
    const broken = {
      ...fs.promises,
      writeFile: (...given: Parameters<typeof writeFile>) =>
        given[0].endsWith('.pack') ? Promise.reject(new Error('disk full')) : writeFile(...given),
    };
    const fetching = iso.fetch({ fs: { promises: broken } as never, dir, http });
    await expect(fetching).rejects.toThrow('disk full');
    expect(show(dir, 'for-each-ref')).toBe('');
    await iso.fetch({ fs, dir, http });
    expect(show(dir, 'rev-parse', 'origin/master')).toBe(show(server, 'rev-parse', 'master'));
    expect(readFileSync(join(dir, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/.invalid\n');
    await fs.close();
  });
});
