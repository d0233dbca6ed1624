// Every file and folder that is made has the permissions that Git would give it: by the umask, by
// core.sharedRepository, and by both together; also what a doctor writes.

import { appendFileSync, cpSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, reftable } from './command-line.ts';

const UMASK = process.umask();

beforeAll(buildCommandLine);
afterEach(() => {
  process.umask(UMASK);
});

/** What only templates make: Git is told to use none. */
const FROM_TEMPLATES = /^(?:branches|description|hooks|info)(?:\/|$)/;

/** The permission bits of all that is in a folder, by what it is. */
function modesIn(folder: string): Record<string, string> {
  const modes: Record<string, string> = { '.': modeOf(folder) };
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    if (FROM_TEMPLATES.test(name)) continue;
    modes[name.replace(/0x.*\.ref$/, 'TABLE')] = modeOf(join(folder, name));
  }
  return modes;
}

function modeOf(path: string): string {
  return (lstatSync(path).mode & 0o7777).toString(8);
}

describeWithGit('permissions beside Git', () => {
  it.each([
    [0o022, []],
    [0o077, []],
    [0o002, []],
    [0o022, ['--shared']],
    [0o077, ['--shared=group']],
    [0o077, ['--shared=all']],
    [0o027, ['--shared=everybody']],
    [0o002, ['--shared=0640']],
    [0o077, ['--shared=0666']],
    [0o022, ['--shared=0600']],
    [0o022, ['--shared=0777']],
    [0o077, ['--shared=umask']],
    [0o077, ['--shared=true']],
    [0o077, ['--shared=2']],
    [0o077, ['--shared=0']],
    [0o077, ['--shared=07']],
    [0o077, ['--shared=perhaps']],
  ])('with the umask %o and %j', (umask, options) => {
    process.umask(umask);
    const folder = temporaryFolder();
    const args = ['init', '--bare', '-b', 'main', ...options];
    const made = git.run([...args, '--template=', '--ref-format=reftable', 'git'], { cwd: folder });
    const ours = reftable([...args, 'ours'], { cwd: folder });
    expect({ ...ours, stdoutBytes: '' }).toEqual({
      ...made,
      stdout: made.stdout.replace('/git/', '/ours/'),
      stdoutBytes: '',
    });
    if (made.code !== 0) return;
    const settings = (name: string) =>
      git
        .output(['config', '--list', '--local'], { cwd: join(folder, name) })
        .split('\n')
        .sort();
    expect(settings('ours')).toEqual(settings('git'));
    expect(modesIn(join(folder, 'ours'))).toEqual(modesIn(join(folder, 'git')));
    for (const step of [
      ['symbolic-ref', 'HEAD', 'refs/heads/two'],
      ['pack-refs', '--all'],
    ]) {
      expect(git.run(step, { cwd: join(folder, 'git') }).code).toBe(0);
      expect(reftable(step, { cwd: join(folder, 'ours') }).code).toBe(0);
      expect(modesIn(join(folder, 'ours'))).toEqual(modesIn(join(folder, 'git')));
    }
  });

  it.each([
    ['core.sharedRepository', 0o077],
    ['core.sharedRepository=all', 0o027],
    ['core.sharedRepository=0640', 0o000],
    ['core.sharedRepository=umask', 0o077],
    ['core.sharedRepository=07', 0o022],
    ['core.sharedRepository=0xyz', 0o022],
    ['core.sharedRepository=', 0o022],
  ])('of what is written with %s', (setting, umask) => {
    const folder = temporaryFolder();
    git.output(['init', '-q', '--bare', '--template=', '--ref-format=reftable', 'git'], {
      cwd: folder,
    });
    cpSync(join(folder, 'git'), join(folder, 'ours'), { recursive: true });
    process.umask(umask);
    const args = ['-c', setting, 'symbolic-ref', 'HEAD', 'refs/heads/two'];
    const { code, stderr } = git.run(args, { cwd: join(folder, 'git') });
    expect(reftable(args, { cwd: join(folder, 'ours') })).toMatchObject({ code, stderr });
    expect(modesIn(join(folder, 'ours'))).toEqual(modesIn(join(folder, 'git')));
  });

  it('of what the doctor writes', () => {
    process.umask(0o077);
    const folder = temporaryFolder();
    git.output(
      ['init', '-q', '--bare', '--template=', '--shared', '--ref-format=reftable', 'git'],
      {
        cwd: folder,
      },
    );
    const gitDir = join(folder, 'git');
    const before = modesIn(gitDir);
    rmSync(join(gitDir, 'HEAD'));
    rmSync(join(gitDir, 'refs'), { recursive: true });
    appendFileSync(join(gitDir, 'reftable/tables.list'), 'not a table\n');
    expect(reftable(['doctor', '--fix', gitDir]).stderr).toBe('');
    const after = modesIn(gitDir);
    expect(after).toMatchObject(before);
    expect(after['reftable/tables.list.damaged.1']).toBe('660');
  });
});
