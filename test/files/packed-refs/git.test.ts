// Whatever stands in packed-refs, we read of it what Git reads, fail with Git's message where Git fails, and write after
// an edit what Git writes. What fails is shrunk and printed as the file and the edits.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { PackedRefEdit } from '../../../src/files/packed-refs/edit.ts';
import type { PackedRef } from '../../../src/files/packed-refs/packed-ref.ts';
import { compareText } from '../../../src/format/text.ts';
import { RefError } from '../../../src/index.ts';
import { describeWithGit, git } from '../../support/git.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openPacked, rewritten } from './packed-file.ts';

const SEED = 20261;
/** Files that are rewritten by each command, and files that are read. */
const RUNS = 250;

interface Line {
  oid: string;
  name: string;
  peeled: string | undefined;
}

interface PackedFile {
  /** Those of the header, `undefined` for no header. */
  traits: string[] | undefined;
  lines: Line[];
}

const oid = fc.constantFrom('1', '2', '3', 'a', 'b').map((digit) => digit.repeat(40));
const component = fc.constantFrom('a', 'b', 'a-b', 'a.b', 'ab', 'é', '\u{1f600}', '\uff5e', 'zz');
const name = fc
  .tuple(
    fc.constantFrom('refs/heads/', 'refs/tags/', 'refs/remotes/o/', 'refs/x/', 'refs/'),
    fc.array(component, { minLength: 1, maxLength: 3 }),
  )
  .map(([folder, components]) => folder + components.join('/'));
const line: fc.Arbitrary<Line> = fc.record({
  oid,
  name,
  peeled: fc.option(oid, { nil: undefined }),
});
const packedFile: fc.Arbitrary<PackedFile> = fc
  .record({
    traits: fc.option(fc.subarray(['peeled', 'fully-peeled', 'sorted', 'unheard-of']), {
      nil: undefined,
    }),
    lines: fc.array(line, { maxLength: 12 }),
  })
  .map(({ traits, lines }) => {
    // Who says that a file is sorted keeps to it.
    const isSorted = traits?.includes('sorted');
    return { traits, lines: isSorted ? lines.sort(byName) : lines };
  });

function byName(a: Line, b: Line): number {
  return compareText(a.name, b.name);
}

function textOf({ traits, lines }: PackedFile): string {
  const header = traits === undefined ? '' : `# pack-refs with: ${traits.join(' ')} \n`;
  return header + lines.map(recordOf).join('');
}

function recordOf({ oid, name, peeled }: Line): string {
  return `${oid} ${name}\n${peeled === undefined ? '' : `^${peeled}\n`}`;
}

/** What may happen to a file: something is put in the place of some of it. */
const damage = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.constantFrom(0, 1, 5, 41, 60),
  added: fc.constantFrom(
    ...['', '\n', '^', '\r', '\0', ' ', 'g', 'refs/', '../', '..', '#\n', `^${'1'.repeat(40)}\n`],
    `${'x'.repeat(90)}\n`,
  ),
});

describeWithGit('packed-refs as Git has it', () => {
  let folder: string;
  let path: string;
  let commit: string;
  let tag: string;
  beforeAll(() => {
    folder = temporaryFolder();
    path = join(folder, 'packed-refs');
    git.output(['init', '-q', '--bare', '--ref-format=files', '.'], { cwd: folder });
    const tree = git.output(['hash-object', '-t', 'tree', '-w', '--stdin'], { cwd: folder }).trim();
    commit = git.output(['commit-tree', '-m', 'first', tree], { cwd: folder }).trim();
    const text = `object ${commit}\ntype commit\ntag t\ntagger A <a@b.c> 1700000000 +0000\n\nt\n`;
    tag = git.output(['mktag'], { cwd: folder, input: text }).trim();
  });

  /** What Git makes of a file, and what we do. */
  async function bothRewrite(
    file: PackedFile,
    args: string[],
    input: string,
    edits: PackedRefEdit[],
  ): Promise<void> {
    const content = textOf(file);
    writeFileSync(path, content);
    git.output(args, { cwd: folder, input });
    const theirs = readFileSync(path, 'utf8');
    writeFileSync(path, content);
    const ours = await rewritten(
      path,
      edits.sort((a, b) => compareText(a.name, b.name)),
    );
    expect(ours.toString()).toBe(theirs);
  }

  it('deletes a ref', async () => {
    const cases = fc
      .tuple(packedFile, fc.nat())
      .filter(([{ lines }]) => lines.length > 0)
      .map(([file, at]) => ({ file, name: file.lines[at % file.lines.length]!.name }));
    await fc.assert(
      fc.asyncProperty(cases, async ({ file, name }) => {
        await bothRewrite(file, ['update-ref', '-d', name], '', [{ name, oid: undefined }]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('deletes several refs', async () => {
    const cases = packedFile
      .filter(({ lines }) => lines.length > 0)
      .chain((file) => {
        const names = [...new Set(file.lines.map(({ name }) => name))];
        return fc.record({
          file: fc.constant(file),
          names: fc.shuffledSubarray(names, { minLength: 1 }),
        });
      });
    await fc.assert(
      fc.asyncProperty(cases, async ({ file, names }) => {
        const commands = names.map((name) => `delete ${name}\n`).join('');
        const edits = names.map((name) => ({ name, oid: undefined }));
        await bothRewrite(file, ['update-ref', '--stdin'], commands, edits);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('packs refs', async () => {
    const loose = fc.uniqueArray(fc.tuple(component, fc.boolean()), {
      minLength: 1,
      maxLength: 6,
      selector: ([component]) => component,
    });
    await fc.assert(
      fc.asyncProperty(packedFile, loose, async (file, components) => {
        rmSync(join(folder, 'refs'), { recursive: true });
        mkdirSync(join(folder, 'refs'));
        const edits = components.map(([component, isTag]): PackedRefEdit => {
          const name = `refs/${isTag ? 'tags' : 'heads'}/${component}`;
          mkdirSync(dirname(join(folder, name)), { recursive: true });
          writeFileSync(join(folder, name), `${isTag ? tag : commit}\n`);
          return { name, oid: isTag ? tag : commit, peeled: isTag ? commit : undefined };
        });
        await bothRewrite(file, ['pack-refs', '--all', '--no-prune'], '', edits);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    rmSync(join(folder, 'refs'), { recursive: true });
    mkdirSync(join(folder, 'refs'));
  });

  it('lists refs, or says which line is broken', () => {
    const cases = fc.record({ file: packedFile, damage: fc.option(damage, { nil: undefined }) });
    fc.assert(
      fc.property(cases, ({ file, damage }) => {
        let content = textOf(file);
        if (damage !== undefined) {
          const at = Math.floor(damage.at * content.length);
          content = content.slice(0, at) + damage.added + content.slice(at + damage.removed);
        }
        writeFileSync(path, content);
        const theirs = git.run(['for-each-ref', '--format=%(refname) %(objectname)'], {
          cwd: folder,
        });
        const fatal = /^fatal: (.*)\n/m.exec(theirs.stderr)?.[1];
        expect(listing(path)).toEqual({ stdout: fatal === undefined ? theirs.stdout : '', fatal });
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});

/** What `for-each-ref` would print of the refs, and with which message it would fail. */
function listing(path: string): { stdout: string; fatal: string | undefined } {
  let stdout = '';
  try {
    const refs = openPacked(path);
    try {
      for (const ref of refs.from('')) stdout += shown(ref);
    } finally {
      refs.release();
    }
    return { stdout, fatal: undefined };
  } catch (error) {
    if (!(error instanceof RefError)) throw error;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: Git prints none.
    const printed = error.message.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '?');
    return { stdout: '', fatal: printed.replace(path, './packed-refs') };
  }
}

function shown({ name, oid, hasBadName }: PackedRef): string {
  return hasBadName || !name.startsWith('refs/') ? '' : `${name} ${oid}\n`;
}
