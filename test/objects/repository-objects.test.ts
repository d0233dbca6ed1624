// A repository's objects are found wherever Git keeps them: loose, borrowed, and in packs. What is damaged is named, and what cannot be known is not guessed.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RepositoryObjects } from '../../src/objects/repository-objects.ts';
import { peelTag } from '../../src/objects/tag-target.ts';
import { nodeFileSystem } from '../../src/storage/node-file-system.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function makeRepository(objectFormat: 'sha1' | 'sha256') {
  const path = join(temporaryFolder(), 'repository');
  const run = (...args: string[]) => git.output(args, { cwd: path }).trim();
  git.output(['init', '-q', `--object-format=${objectFormat}`, path]);
  run('commit', '-q', '--allow-empty', '-m', 'first');
  run('tag', '-m', 'inner', 'inner');
  run('tag', '-m', 'outer', 'outer', 'inner');
  const [commit = '', inner = '', outer = ''] = run('rev-parse', 'HEAD', 'inner', 'outer').split(
    '\n',
  );
  const folder = join(path, '.git/objects');
  const open = () => new RepositoryObjects({ fileSystem: nodeFileSystem, folder, objectFormat });
  return { path, run, open, folder, commit, inner, outer, missing: 'd'.repeat(commit.length) };
}

describeWithGit('the objects of a repository', () => {
  describe.each(['sha1', 'sha256'] as const)('in %s', (objectFormat) => {
    it('are told by their headers, and tags peeled to the end', async () => {
      const { open, run, commit, outer, missing } = makeRepository(objectFormat);
      const objects = open();
      const findings = await objects.lookup([commit, outer, missing, commit]);
      expect([...findings]).toEqual([
        [commit, { type: 'commit', size: Number(run('cat-file', '-s', commit)) }],
        [outer, { type: 'tag', size: Number(run('cat-file', '-s', outer)) }],
        [missing, 'missing'],
      ]);
      expect(await peelTag(objects, outer)).toBe(commit);
      expect(objects.read(missing)).toBeUndefined();
      const { content } = objects.read(commit)!;
      expect(Buffer.from(content).toString().trim()).toBe(run('cat-file', 'commit', commit));
    });

    it('are refused by name where a file is damaged', async () => {
      const { open, folder, commit } = makeRepository(objectFormat);
      const file = `${folder}/${commit.slice(0, 2)}/${commit.slice(2)}`;
      chmodSync(file, 0o644);
      writeFileSync(file, 'no zlib stream');
      const message = `loose object ${commit} (stored in ${file}) is corrupt`;
      const expected = { code: 'CORRUPT_OBJECT', file, message };
      await expect(open().lookup([commit])).rejects.toMatchObject(expected);
      expect(() => open().read(commit)).toThrow(expect.objectContaining(expected));
    });

    it('are seen in packs', async () => {
      const { open, run, commit, outer, missing } = makeRepository(objectFormat);
      run('gc', '-q');
      const objects = open();
      const findings = await objects.lookup([commit, outer, missing]);
      const types = [...findings.values()].map((each) =>
        typeof each === 'object' ? each.type : each,
      );
      expect(types).toEqual(['commit', 'tag', 'missing']);
      expect(await peelTag(objects, outer)).toBe(commit);
    });
  });
});
