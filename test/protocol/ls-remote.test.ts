// `git ls-remote` prints the same whether Git or `reftable upload-pack` tells it of the refs.

import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildCommandLine, commandLine } from '../cli/command-line.ts';
import { fixtures } from '../support/fixtures.ts';
import { describeWithGit, git } from '../support/git.ts';
import { repositoryOf } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { askGit, makeServed, quoted, type RefFormat } from './served-repositories.ts';

const FORMATS: readonly RefFormat[] = ['reftable', 'files'];
const VERSIONS = ['0', '1', '2'] as const;

beforeAll(buildCommandLine);

/** Asks Git's and ours; both print the same. */
function expectSame(
  path: string,
  args: readonly string[],
  env: Record<string, string | undefined> = {},
  versions: readonly string[] = VERSIONS,
): void {
  const ours = quoted([...commandLine(), 'upload-pack']);
  for (const version of versions) {
    const [theirs, actual] = ['git-upload-pack', ours].map((uploadPack) =>
      askGit(
        [
          '-c',
          `protocol.version=${version}`,
          'ls-remote',
          `--upload-pack=${uploadPack}`,
          ...flags(args),
          `file://${path}`,
          ...patterns(args),
        ],
        env,
      ),
    );
    expect(actual, `version ${version}: ${args.join(' ')}`).toEqual(theirs);
  }
}

function flags(args: readonly string[]): string[] {
  return args.filter((arg) => arg.startsWith('-'));
}

function patterns(args: readonly string[]): string[] {
  return args.filter((arg) => !arg.startsWith('-'));
}

describeWithGit('ls-remote through upload-pack', () => {
  for (const refFormat of FORMATS) {
    it(`shows the refs of a repository (${refFormat})`, () => {
      const path = makeServed(refFormat);
      for (const args of [
        [],
        ['--symref'],
        ['--branches'],
        ['--tags'],
        ['--refs'],
        ['--symref', 'HEAD'],
        ['refs/heads/*'],
        ['main', 'v1*'],
        ['topic/t*'],
        ['--exit-code', 'nothing'],
      ]) {
        expectSame(path, args);
      }
    });

    it(`shows those of a repository with SHA-256 (${refFormat})`, () => {
      const path = makeServed(refFormat, 'sha256');
      expectSame(path, ['--symref']);
    });

    it(`shows no hidden refs (${refFormat})`, () => {
      const path = makeServed(refFormat);
      const hide = (...rules: string[]) => {
        for (const key of ['transfer.hideRefs', 'uploadpack.hideRefs']) {
          git.run(['config', '--unset-all', key], { cwd: path });
        }
        rules.forEach((rule, i) => {
          const key = i % 2 === 0 ? 'transfer.hideRefs' : 'uploadpack.hideRefs';
          git.output(['config', '--add', key, rule], { cwd: path });
        });
        expectSame(path, ['--symref']);
        expectSame(path, ['--symref'], { GIT_NAMESPACE: 'a' });
      };
      hide('refs/heads/topic');
      hide('refs/heads/topic/', 'refs/tags/v1');
      hide('refs/heads', '!refs/heads/topic');
      hide('!refs/heads/topic', 'refs/heads');
      hide('HEAD');
      hide('^refs/namespaces/a/refs/heads/inner', '^refs/heads/main');
      hide('refs', '!^refs/namespaces/a/refs/tags');
      hide('refs');
    });

    it(`shows the refs of a namespace (${refFormat})`, () => {
      const path = makeServed(refFormat);
      for (const namespace of ['a', 'a/b', 'nothing']) {
        expectSame(path, ['--symref'], { GIT_NAMESPACE: namespace });
        expectSame(path, ['refs/heads/*'], { GIT_NAMESPACE: namespace });
      }
    });

    it(`shows an unborn and a detached HEAD (${refFormat})`, () => {
      const path = join(temporaryFolder(), 'unborn');
      git.output(['init', '-q', `--ref-format=${refFormat}`, path]);
      expectSame(path, ['--symref']);
      const head = makeServed(refFormat);
      git.output(['checkout', '-q', '--detach'], { cwd: head });
      expectSame(head, ['--symref']);
      git.output(['symbolic-ref', 'HEAD', 'refs/heads/not-yet'], { cwd: head });
      for (const policy of ['advertise', 'allow', 'ignore']) {
        git.output(['config', 'lsrefs.unborn', policy], { cwd: head });
        expectSame(head, ['--symref']);
      }
      git.output(['symbolic-ref', 'HEAD', 'refs/heads/dangling'], { cwd: head });
      expectSame(head, ['--symref']);
    });

    it(`shows 10,000 refs (${refFormat})`, () => {
      const path = makeServed(refFormat);
      const oid = git.output(['rev-parse', 'HEAD'], { cwd: path }).trim();
      const tag = git.output(['rev-parse', 'v1'], { cwd: path }).trim();
      const input = Array.from(
        { length: 10_000 },
        (_, i) => `create refs/heads/many/${i} ${i % 7 === 0 ? tag : oid}\n`,
      ).join('');
      git.output(['-c', 'core.logAllRefUpdates=false', 'update-ref', '--stdin'], {
        cwd: path,
        input: input.replaceAll('refs/heads/many', 'refs/many'),
      });
      git.output(['pack-refs', '--all'], { cwd: path });
      expectSame(path, ['--symref']);
      expectSame(path, ['refs/many/99*']);
    });
  }

  it('shows the refs of stacks that Git wrote', () => {
    for (const stack of fixtures()) expectSame(repositoryOf(stack), ['--symref']);
  });

  it('is found by the transport helper ext::', () => {
    const path = makeServed('reftable');
    const ours = [...commandLine(), 'upload-pack', path].map((word) => word.replaceAll(' ', '% '));
    const allowed = ['-c', 'protocol.ext.allow=always'];
    const theirs = askGit([...allowed, 'ls-remote', `ext::git upload-pack ${path}`]);
    expect(askGit([...allowed, 'ls-remote', `ext::${ours.join(' ')}`])).toEqual(theirs);
  });
});
