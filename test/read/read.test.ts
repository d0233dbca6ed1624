import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listBranches, listTags, readHead, readRef } from '../../src/read/index.ts';
import { fixtures } from '../support/fixtures.ts';
import { describeWithGit, ENVIRONMENT, git, gitExecutable } from '../support/git.ts';
import { repositoryOf } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FORMATS = ['reftable', 'files'] as const;

describe('reading fixtures', () => {
  it.each(fixtures().map((fixture) => [fixture.name, fixture] as const))(
    'gives what Git reads: %s',
    (_, fixture) => {
      const dir = repositoryOf(fixture);
      const of = (prefix: string) => fixture.refs.filter(({ name }) => name.startsWith(prefix));
      const branches = of('refs/heads/').map(({ name, oid }) => ({ name: name.slice(11), oid }));
      expect(listBranches(dir)).toEqual(branches);
      const tags = of('refs/tags/').map(({ name, oid, peeled }) => ({
        ...{ name: name.slice(10), oid, peeled },
      }));
      expect(listTags(dir)).toEqual(tags);
      for (const { name, oid } of fixture.refs) expect(readRef(dir, name)).toBe(oid);
    },
  );
});

for (const format of FORMATS) {
  describeWithGit(`reading a repository with ${format}`, () => {
    const make = (...options: string[]) => {
      const dir = join(temporaryFolder(), 'repository');
      git.output(['init', '-q', `--ref-format=${format}`, ...options, dir]);
      return { dir, run: runIn(dir) };
    };

    it('tells the branch and the object id from any folder', () => {
      const { dir, run } = make();
      run('commit', '-q', '--allow-empty', '-m', 'first');
      const oid = run('rev-parse', 'HEAD');
      const head = { branch: 'main', oid, detached: false };
      mkdirSync(join(dir, 'a/b'), { recursive: true });
      for (const folder of [dir, join(dir, 'a/b'), join(dir, '.git'), join(dir, '.git/objects')]) {
        expect(readHead(folder)).toEqual(head);
      }
      symlinkSync(join(dir, 'a'), join(dir, '..', 'link'));
      expect(readHead(join(dir, '..', 'link'))).toEqual(head);
    });

    it('tells a detached HEAD, an unborn branch, and a HEAD that names no branch', () => {
      const { dir, run } = make();
      expect(readHead(dir)).toEqual({ branch: 'main', oid: undefined, detached: false });
      run('commit', '-q', '--allow-empty', '-m', 'first');
      const oid = run('rev-parse', 'HEAD');
      run('checkout', '-q', '--detach');
      expect(readHead(dir)).toEqual({ branch: undefined, oid, detached: true });
      run('symbolic-ref', 'HEAD', 'refs/tags/v1');
      expect(readHead(dir)).toEqual({ branch: undefined, oid: undefined, detached: false });
      run('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
      run('symbolic-ref', 'HEAD', 'refs/heads/alias');
      expect(readHead(dir)).toEqual({ branch: 'main', oid, detached: false });
    });

    it('reads a bare repository, a linked worktree and a submodule', () => {
      const { dir, run } = make();
      run('commit', '-q', '--allow-empty', '-m', 'first');
      const oid = run('rev-parse', 'HEAD');
      const bare = join(dir, '..', 'bare.git');
      git.output(['clone', '-q', '--bare', `--ref-format=${format}`, dir, bare]);
      expect(readHead(bare)).toEqual({ branch: 'main', oid, detached: false });
      expect(readHead(join(bare, 'refs'))).toEqual({ branch: 'main', oid, detached: false });

      const linked = join(dir, '..', 'linked');
      run('worktree', 'add', '-q', '-b', 'topic', linked);
      runIn(linked)('commit', '-q', '--allow-empty', '-m', 'second');
      const second = runIn(linked)('rev-parse', 'HEAD');
      expect(readHead(linked)).toEqual({ branch: 'topic', oid: second, detached: false });
      expect(readRef(linked, 'main-worktree/HEAD')).toBe(oid);
      expect(readRef(dir, 'worktrees/linked/HEAD')).toBe(second);
      expect(listBranches(linked).map(({ name }) => name)).toEqual(['main', 'topic']);
      runIn(linked)('update-ref', 'refs/worktree/own', second);
      expect(readRef(linked, 'refs/worktree/own')).toBe(second);
      expect(readRef(dir, 'refs/worktree/own')).toBeUndefined();

      run('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', bare, 'module');
      expect(readHead(join(dir, 'module'))).toEqual({ branch: 'main', oid, detached: false });
    });

    it('lists branches and tags as for-each-ref does, packed and not', () => {
      const { dir, run } = make();
      run('commit', '-q', '--allow-empty', '-m', 'first');
      run('branch', 'a/b');
      run('branch', 'a-b');
      run('branch', '\u{1f600}');
      run('branch', '\uff5e');
      run('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
      run('symbolic-ref', 'refs/heads/dangling', 'refs/heads/nowhere');
      run('tag', 'light');
      run('tag', '-a', '-m', 'annotated', 'v1');
      run('tag', '-a', '-m', 'of a tag', 'v2', 'v1');
      run('tag', 'blob', run('hash-object', '-w', '--stdin'));
      const same = () => {
        const listed = (pattern: string, field: string) =>
          run('for-each-ref', `--format=%(refname:lstrip=2) %(objectname)${field}`, pattern);
        const branches = listBranches(dir).map(({ name, oid }) => `${name} ${oid}`);
        expect(branches.join('\n')).toBe(listed('refs/heads/', ''));
        const tags = listTags(dir).map(({ name, oid, peeled = '' }) => `${name} ${oid} ${peeled}`);
        expect(tags.join('\n')).toBe(listed('refs/tags/', ' %(*objectname)'));
      };
      same();
      run('pack-refs', '--all');
      same();
      run('commit', '-q', '--allow-empty', '-m', 'second');
      run('branch', '-D', 'a-b');
      run('tag', '-f', '-a', '-m', 'another', 'v1');
      same();
    });

    it('reads pseudorefs, which are files, and no names that are none', () => {
      const { dir, run } = make();
      run('commit', '-q', '--allow-empty', '-m', 'first');
      run('fetch', '-q', '.', 'main');
      expect(readRef(dir, 'FETCH_HEAD')).toBe(run('rev-parse', 'FETCH_HEAD'));
      expect(readRef(dir, 'refs/heads/missing')).toBeUndefined();
      expect(readRef(dir, 'refs/heads')).toBeUndefined();
      for (const name of ['../config', 'refs/heads/../../config', '', 'refs//heads']) {
        expect(() => readRef(dir, name)).toThrow(expect.objectContaining({ code: 'BAD_NAME' }));
      }
    });

    it('refuses a format or an extension that it does not know, by name', () => {
      const { dir } = make();
      const config = (text: string) => writeFileSync(join(dir, '.git/config'), text);
      config('[core]\nrepositoryFormatVersion = 1\n[extensions]\nworksInTheFuture = true\n');
      const refusal = { code: 'UNSUPPORTED_REPOSITORY', message: /worksinthefuture/ };
      expect(() => readHead(dir)).toThrow(refusing(refusal));
      config('[core]\nrepositoryFormatVersion = 2\n');
      const version = { code: 'UNSUPPORTED_REPOSITORY', message: /version <= 1, found 2/ };
      expect(() => listTags(dir)).toThrow(refusing(version));
    });

    it('gives a value that was there, whatever writers do meanwhile', async () => {
      const { dir, run } = make();
      run('commit', '-q', '--allow-empty', '-m', 'first');
      const first = run('rev-parse', 'HEAD');
      run('commit', '-q', '--allow-empty', '-m', 'second');
      const second = run('rev-parse', 'HEAD');
      const script = `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        "$0" update-ref refs/heads/main ${first} && "$0" update-ref refs/heads/t/$i ${first} &&
        "$0" pack-refs --all && "$0" update-ref refs/heads/main ${second} || exit 1; done`;
      const writer = spawn('sh', ['-c', script, gitExecutable!], { cwd: dir, env: ENVIRONMENT });
      const ended = once(writer, 'exit');
      while (writer.exitCode === null) {
        for (let i = 0; i < 50; i++) expect([first, second]).toContain(readHead(dir).oid);
        expect(listBranches(dir).map(({ name }) => name)).toContain('main');
        await new Promise(setImmediate);
      }
      expect((await ended)[0]).toBe(0);
    });
  });
}

describeWithGit('reading what is damaged', () => {
  const make = (format: string) => {
    const dir = temporaryFolder();
    git.output(['init', '-q', `--ref-format=${format}`, dir]);
    runIn(dir)('commit', '-q', '--allow-empty', '-m', 'first');
    return { dir, run: runIn(dir) };
  };

  it('names the table that is damaged, or missing', () => {
    const { dir } = make('reftable');
    const stack = join(dir, '.git/reftable');
    const table = readdirSync(stack).find((name) => name.endsWith('.ref'))!;
    const file = join(stack, table);
    const bytes = readFileSync(file);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file, bytes);
    expect(() => readHead(dir)).toThrow(expect.objectContaining({ code: 'CORRUPT_TABLE', file }));
    appendFileSync(join(stack, 'tables.list'), '0x000000000009-0x000000000009-00000000.ref\n');
    writeFileSync(file, bytes.fill(0, 0, 0));
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file, bytes);
    expect(() => readHead(dir)).toThrow(expect.objectContaining({ code: 'MISSING_TABLE' }));
    writeFileSync(join(stack, 'tables.list'), '../../config\n');
    expect(() => readHead(dir)).toThrow(expect.objectContaining({ code: 'CORRUPT_LIST' }));
  });

  it.each([
    ['empty', ''],
    ['half an object id', 'd670460b4b4aece5915caf5c'],
    ['zero bytes', '\0'.repeat(41)],
    ['a name that leads elsewhere', 'ref: ../../config\n'],
  ])('names the file of a ref, and lists the others: %s', (_, text) => {
    const { dir } = make('files');
    const file = join(dir, '.git/refs/heads/broken');
    writeFileSync(file, text);
    const damage = expect.objectContaining({ code: 'CORRUPT_REF', file });
    expect(() => readRef(dir, 'refs/heads/broken')).toThrow(damage);
    expect(listBranches(dir).map(({ name }) => name)).toEqual(['main']);
  });

  it('names packed-refs', () => {
    const { dir, run } = make('files');
    run('pack-refs', '--all');
    const file = join(dir, '.git/packed-refs');
    appendFileSync(file, 'what is this\n');
    const damage = expect.objectContaining({ code: 'CORRUPT_REF', file });
    expect(() => listBranches(dir)).toThrow(damage);
  });

  it('does not follow symrefs in a circle', () => {
    const { dir, run } = make('reftable');
    run('symbolic-ref', 'refs/heads/a', 'refs/heads/b');
    run('symbolic-ref', 'refs/heads/b', 'refs/heads/a');
    const circle = expect.objectContaining({ code: 'SYMREF_DEPTH' });
    expect(() => readRef(dir, 'refs/heads/a')).toThrow(circle);
  });

  it('tells where there is no repository', () => {
    const nowhere = expect.objectContaining({ code: 'NOT_A_REPOSITORY' });
    expect(() => readHead(temporaryFolder())).toThrow(nowhere);
  });
});

describeWithGit('reading a large packed-refs', () => {
  it('finds every ref, sorted or not, and none that is not there', () => {
    const dir = temporaryFolder();
    git.output(['init', '-q', '--ref-format=files', dir]);
    const run = runIn(dir);
    run('commit', '-q', '--allow-empty', '-m', 'first');
    const oid = run('rev-parse', 'HEAD');
    run('tag', '-a', '-m', 'tag', 'tag');
    const tag = run('rev-parse', 'tag');
    const names = Array.from({ length: 5000 }, (_, i) => `refs/tags/n${i * 7}`).sort();
    const lines = names.map((name, i) =>
      i % 3 === 0 ? `${tag} ${name}\n^${oid}\n` : `${oid} ${name}\n`,
    );
    const header = '# pack-refs with: peeled fully-peeled sorted \n';
    const file = join(dir, '.git/packed-refs');
    for (const isSorted of [true, false]) {
      writeFileSync(file, isSorted ? header + lines.join('') : lines.reverse().join(''));
      // One that is not sorted is sorted for each question.
      for (let i = 0; i < names.length; i += isSorted ? 1 : 97) {
        const name = names[i]!;
        expect(readRef(dir, name)).toBe(i % 3 === 0 ? tag : oid);
        expect(readRef(dir, `${name}x`)).toBeUndefined();
      }
      expect(readRef(dir, 'refs/a')).toBeUndefined();
      expect(readRef(dir, 'refs/z')).toBeUndefined();
      expect(listTags(dir).filter(({ peeled }) => peeled === oid)).toHaveLength(1667 + 1);
    }
  });
});

it('reads packed-refs version 2 where it is turned on', () => {
  const dir = temporaryFolder();
  const format = '[core]\n\trepositoryFormatVersion = 0\n';
  mkdirSync(join(dir, 'objects'));
  mkdirSync(join(dir, 'refs'));
  writeFileSync(join(dir, 'HEAD'), 'ref: refs/heads/main\n');
  const fixture = new URL('../fixtures/packed-refs-v2/sha1.v2', import.meta.url);
  copyFileSync(fixture, join(dir, 'packed-refs'));
  writeFileSync(join(dir, 'config'), format);
  expect(() => readHead(dir)).toThrow(/^unterminated line in .*packed-refs: /);
  writeFileSync(join(dir, 'config'), `${format}[refs]\n\tpackedRefsVersion = 2\n`);
  expect(readHead(dir)).toMatchObject({ branch: 'main', oid: readRef(dir, 'refs/heads/main') });
  expect(listTags(dir).map(({ name }) => name)).toEqual(['v1.0', 'v1.1', '\u00e9']);
  writeFileSync(join(dir, 'config'), `${format}[refs]\n\tpackedRefsVersion = 3\n`);
  expect(() => readHead(dir)).toThrow(/for 'refs.packedrefsversion'/);
});

function runIn(cwd: string) {
  return (...args: string[]) => git.output(args, { cwd }).trimEnd();
}

function refusing({ code, message }: { code: string; message: RegExp }) {
  return expect.objectContaining({ code, message: expect.stringMatching(message) });
}
