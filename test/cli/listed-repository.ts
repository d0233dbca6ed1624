// A repository to list refs of: objects of every type behind them, tags of tags, symrefs of symrefs, names
// that are no UTF-8, versions, and branches that follow others.

import { join } from 'node:path';
import { git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MESSAGES = {
  second:
    'second subject\n\nbody line one\nbody two\nthree\n\nSigned-off-by: Sam <sam@example.com>',
  third: 'third: with weird ... chars & more!\nsecond line of the subject\n\nand a body',
  tag: 'annotated tag\n\ntag body\n-----BEGIN PGP SIGNATURE-----\nnothing\n-----END PGP SIGNATURE-----',
};

/** Makes the repository with Git and gives its path. */
export function makeListedRepository(objectFormat: 'sha1' | 'sha256'): string {
  const path = join(temporaryFolder(), 'listed');
  git.output(['init', '-q', '--ref-format=reftable', `--object-format=${objectFormat}`, path]);
  const run = (...args: string[]) => git.output(args, { cwd: path }).trimEnd();
  const commit = (message: string, env: Record<string, string>) =>
    git.output(['commit', '-q', '--allow-empty', '-m', message], { cwd: path, env });
  commit('first', { GIT_AUTHOR_NAME: 'Jürgen Ä.', GIT_AUTHOR_DATE: '1500000000 +0530' });
  commit(MESSAGES.second, { GIT_COMMITTER_DATE: '1600000000 -0800' });
  commit(MESSAGES.third, { GIT_COMMITTER_DATE: '1800000000 +0000' });
  run('tag', '-m', MESSAGES.tag, 'v1');
  run('-c', 'advice.nestedTag=false', 'tag', '-m', 'tag of a tag', 'vv1', 'v1');
  run('tag', 'light', 'HEAD~1');
  for (const version of ['v1.0', 'v1.10', 'v1.9', 'v1.0-rc1', 'v1.0-rc2', 'v1.01', 'v1.001']) {
    run('tag', version, 'HEAD~1');
  }
  const blob = git.output(['hash-object', '-w', '--stdin'], { cwd: path, input: 'text\n' }).trim();
  run('tag', 'blob', blob);
  run('tag', '-m', 'of a blob', 'blob-tag', blob);
  run('tag', 'tree', 'HEAD^{tree}');
  run('branch', 'topic/one', 'HEAD~2');
  run('branch', 'topic/two');
  run('branch', 'both', 'HEAD~1');
  run('tag', 'both');
  run('branch', 'Both2');
  run('branch', '日本語');
  const name = Buffer.from('refs/heads/caf\xe9', 'latin1');
  const rest = Buffer.from(` ${run('rev-parse', 'HEAD~1')}\n`);
  const input = Buffer.concat([Buffer.from('create '), name, rest]);
  git.output(['update-ref', '--stdin'], { cwd: path, input });
  run('update-ref', 'refs/remotes/origin/main', 'HEAD~1');
  run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  run('symbolic-ref', 'refs/heads/alias', 'refs/heads/alias2');
  run('symbolic-ref', 'refs/heads/alias2', 'refs/heads/topic/one');
  run('symbolic-ref', 'refs/heads/dangling', 'refs/heads/nowhere');
  run('update-ref', 'ORIG_HEAD', 'HEAD~1');
  for (const setting of [
    ['remote.origin.url', 'elsewhere'],
    ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
    ['branch.main.remote', 'origin'],
    ['branch.main.merge', 'refs/heads/main'],
    ['branch.both.remote', '.'],
    ['branch.both.merge', 'refs/heads/main'],
    ['branch.topic/two.remote', 'origin'],
    ['branch.topic/two.merge', 'refs/heads/gone'],
  ]) {
    run('config', ...setting);
  }
  return path;
}
