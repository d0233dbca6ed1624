// The package as it is published: dist/, which `npm test` builds first, used as a user would.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { initRepository } from '../src/repository/init.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = join(import.meta.dirname, '..');
const OID = '1'.repeat(40);

/** Runs a program that imports the package by its name, from inside of it. */
function run(program: string, ...args: string[]): string {
  const options = ['--input-type=module', '--eval', program, '--', ...args];
  return execFileSync(process.execPath, options, { cwd: root, encoding: 'utf8' });
}

describe('the built package', () => {
  test('writes to a repository and reads it back', async () => {
    const folder = temporaryFolder();
    const { gitDir } = await initRepository(folder, { env: {}, initialBranch: 'main' });
    const output = run(
      `import { openRefStore } from 'reftable';
       const [gitDir, oid] = process.argv.slice(1);
       const store = openRefStore(gitDir, { objects: false });
       await store.transaction([{ type: 'create', ref: 'refs/heads/main', newOid: oid }]);
       console.log(JSON.stringify([store.resolve('HEAD'), [...store.refs()].length]));
       store.close();`,
      gitDir,
      OID,
    );
    expect(JSON.parse(output)).toEqual([{ name: 'refs/heads/main', oid: OID, updateIndex: 2 }, 1]);
  });

  test('goes with all its parts into a program that is bundled', async () => {
    const folder = temporaryFolder();
    const { gitDir } = await initRepository(folder, { env: {}, initialBranch: 'main' });
    const outfile = join(temporaryFolder(), 'program.cjs');
    const contents = `import { openRefStore } from 'reftable';
      const store = openRefStore(process.argv[2], { lockTimeout: 1000, objects: false });
      const update = { type: 'create', ref: 'refs/heads/main', newOid: '${OID}' };
      store.transaction([update]).then(() => console.log(store.resolve('HEAD').oid));`;
    const stdin = { contents, resolveDir: root };
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs' });
    const output = execFileSync(process.execPath, [outfile, gitDir], { encoding: 'utf8' });
    expect(output).toBe(`${OID}\n`);
  });

  test('has its sub-paths', () => {
    const output = run(
      `import * as format from 'reftable/format';
       import * as table from 'reftable/table';
       import * as lab from 'reftable/lab';
       console.log(typeof format.decodeHeader, typeof table.TableWriter, typeof lab.explore);`,
    );
    expect(output).toBe('function function function\n');
  });

  test('reads refs from modules of either kind, with few bytes', () => {
    const imported = run(
      `import { createRequire } from 'node:module';
       import { readHead } from 'reftable/read';
       const same = createRequire(process.cwd() + '/x.cjs')('reftable/read').readHead === readHead;
       try { readHead('/'); } catch (error) { console.log(same, error.code); }`,
    );
    expect(imported).toBe('true NOT_A_REPOSITORY\n');
    // What one repository takes: the entry, and its backend.
    const size = (name: string) => statSync(join(root, 'dist', name)).size;
    expect(size('read.cjs')).toBeLessThan(20_000);
    expect(size('read-reftable.cjs')).toBeLessThan(25_000);
    expect(size('read-files.cjs')).toBeLessThan(30_000);
  });

  test('starts its command line', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const cli = join(root, manifest.bin.reftable);
    const output = execFileSync(process.execPath, [cli, '--version'], { encoding: 'utf8' });
    expect(output).toBe(`reftable version ${manifest.version}\n`);
  });

  test('brings the declarations and licences that it names', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const { types, default: file } of Object.values<Record<string, string>>(exports)) {
      expect(existsSync(join(root, types!)), types).toBe(true);
      expect(existsSync(join(root, file!)), file).toBe(true);
    }
    const licences = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    expect(licences).toContain('proper-lockfile');
    expect(licences).toContain('zod');
  });
});
