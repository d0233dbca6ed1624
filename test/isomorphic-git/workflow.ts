// What people do with isomorphic-git, step by step: each command that touches refs or reflogs.

import { join } from 'node:path';
import * as git from 'isomorphic-git';

/** What isomorphic-git is given to work on a repository. */
export interface Place {
  fs: git.PromiseFsClient;
  dir: string;
}

/** A step, by name; gives what the command gave. */
export type Step = [string, (place: Place) => Promise<unknown>];

const AUTHOR = { name: 'Ann Author', email: 'ann@example.com', timestamp: 1700000000 };
const author = { ...AUTHOR, timezoneOffset: -60 };

async function commitFile(place: Place, name: string, text: string): Promise<string> {
  await place.fs.promises.writeFile(join(place.dir, name), text);
  await git.add({ ...place, filepath: name });
  return git.commit({ ...place, message: `${name}: ${text}`, author });
}

async function everyRef(place: Place): Promise<string[]> {
  const names = await git.listRefs({ ...place, filepath: 'refs' });
  return Promise.all(
    names.map(async (name) => {
      const ref = `refs/${name}`;
      const value = await git.resolveRef({ ...place, ref, depth: 2 });
      return `${ref} ${value} ${await git.resolveRef({ ...place, ref })}`;
    }),
  );
}

const ref = 'topic';

export const STEPS: Step[] = [
  ['an unborn branch', (at) => git.currentBranch({ ...at, fullname: true })],
  ['it resolves to nothing', (at) => git.resolveRef({ ...at, ref: 'HEAD' }).catch((e) => e.code)],
  ['configure', (at) => git.setConfig({ ...at, path: 'user.name', value: 'Ann Author' })],
  ['and more', (at) => git.setConfig({ ...at, path: 'user.email', value: 'ann@example.com' })],
  ['first commit', (at) => commitFile(at, 'a', 'one')],
  ['second commit', (at) => commitFile(at, 'a', 'two')],
  ['branch', (at) => git.branch({ ...at, ref })],
  ['branch that is there', (at) => git.branch({ ...at, ref }).catch((e) => e.code)],
  ['branch below a branch', (at) => git.branch({ ...at, ref: 'topic/x' }).catch((e) => e.code)],
  ['branch in a folder', (at) => git.branch({ ...at, ref: 'a/b/c', object: 'HEAD' })],
  ['branch that is a folder', (at) => git.branch({ ...at, ref: 'a/b' }).catch((e) => e.code)],
  ['branches', (at) => git.listBranches(at)],
  ['checkout', (at) => git.checkout({ ...at, ref })],
  ['current branch', (at) => git.currentBranch(at)],
  ['commit on it', (at) => commitFile(at, 'b', 'one')],
  ['back', (at) => git.checkout({ ...at, ref: 'master' })],
  ['fast-forward', (at) => git.merge({ ...at, theirs: ref, author })],
  ['commit beside', (at) => commitFile(at, 'c', 'one')],
  ['topic again', (at) => git.checkout({ ...at, ref })],
  ['commit there', (at) => commitFile(at, 'd', 'one')],
  ['merge', (at) => git.merge({ ...at, theirs: 'master', author })],
  ['log', async (at) => (await git.log({ ...at, ref })).map(({ oid }) => oid)],
  ['tag', (at) => git.tag({ ...at, ref: 'light' })],
  ['tag that is there', (at) => git.tag({ ...at, ref: 'light' }).catch((e) => e.code)],
  ['annotate', (at) => git.annotatedTag({ ...at, ref: 'v1', message: 'one', tagger: author })],
  ['tag a tag', (at) => git.annotatedTag({ ...at, ref: 'v2', object: 'v1', tagger: author })],
  ['tags', (at) => git.listTags(at)],
  ['resolve a tag', (at) => git.resolveRef({ ...at, ref: 'v1' })],
  ['expand', (at) => git.expandRef({ ...at, ref: 'v1' })],
  ['expand what is not there', (at) => git.expandRef({ ...at, ref: 'v9' }).catch((e) => e.code)],
  ['delete a tag', (at) => git.deleteTag({ ...at, ref: 'light' })],
  ['note', async (at) => git.addNote({ ...at, oid: await head(at), note: 'one', author })],
  ['read it', async (at) => String(await git.readNote({ ...at, oid: await head(at) }))],
  ['notes', (at) => git.listNotes(at)],
  ['remove it', async (at) => git.removeNote({ ...at, oid: await head(at), author })],
  ['detach', async (at) => git.checkout({ ...at, ref: await head(at) })],
  ['no branch', async (at) => (await git.currentBranch(at)) ?? 'none'],
  ['commit without a branch', (at) => commitFile(at, 'e', 'one')],
  ['move a branch', async (at) => git.branch({ ...at, ref, object: await head(at), force: true })],
  ['to it', (at) => git.checkout({ ...at, ref })],
  ['amend', (at) => git.commit({ ...at, message: 'amended', amend: true, author })],
  [
    'write a ref',
    async (at) => git.writeRef({ ...at, ref: 'refs/custom/x', value: await head(at) }),
  ],
  [
    'write it back',
    async (at) => {
      const [, parent] = await git.log({ ...at, ref, depth: 2 });
      await git.writeRef({ ...at, ref: 'refs/custom/x', value: parent!.oid, force: true });
    },
  ],
  [
    'symbolic',
    (at) =>
      git.writeRef({ ...at, ref: 'refs/custom/s', value: 'refs/heads/master', symbolic: true }),
  ],
  ['rename', (at) => git.renameBranch({ ...at, oldref: 'a/b/c', ref: 'renamed' })],
  [
    'rename the current one',
    (at) => git.renameBranch({ ...at, oldref: ref, ref: 'new', checkout: true }),
  ],
  ['another branch', (at) => git.branch({ ...at, ref: 'another' })],
  ['delete a branch', (at) => git.deleteBranch({ ...at, ref: 'another' })],
  ['delete a ref', (at) => git.deleteRef({ ...at, ref: 'refs/custom/x' })],
  ['delete none', (at) => git.deleteRef({ ...at, ref: 'refs/custom/none' })],
  ['delete a symref', (at) => git.deleteRef({ ...at, ref: 'refs/custom/s' })],
  ['change', (at) => at.fs.promises.writeFile(join(at.dir, 'a'), 'three')],
  ['stash', (at) => git.stash({ ...at, op: 'push', message: 'first' })],
  ['change more', (at) => at.fs.promises.writeFile(join(at.dir, 'a'), 'four')],
  ['stash again', (at) => git.stash({ ...at, op: 'push' })],
  ['change on', (at) => at.fs.promises.writeFile(join(at.dir, 'a'), 'seventh')],
  ['stash once more', (at) => git.stash({ ...at, op: 'push', message: 'third' })],
  ['stashes', (at) => git.stash({ ...at, op: 'list' })],
  ['drop the middle one', (at) => git.stash({ ...at, op: 'drop', refIdx: 1 })],
  ['what is left', (at) => git.stash({ ...at, op: 'list' })],
  ['pop', (at) => git.stash({ ...at, op: 'pop' })],
  ['one is left', (at) => git.stash({ ...at, op: 'list' })],
  ['drop the last one', (at) => git.stash({ ...at, op: 'drop' })],
  ['none is left', (at) => git.stash({ ...at, op: 'list' })],
  ['change a third time', (at) => at.fs.promises.writeFile(join(at.dir, 'a'), 'a third time')],
  ['stash for clearing', (at) => git.stash({ ...at, op: 'push' })],
  ['clear', (at) => git.stash({ ...at, op: 'clear' })],
  ['add a remote', (at) => git.addRemote({ ...at, remote: 'origin', url: 'http://example.com/' })],
  ['status', async (at) => (await git.statusMatrix(at)).map((row) => row.join(' '))],
  ['every ref', everyRef],
];

function head(at: Place): Promise<string> {
  return git.resolveRef({ ...at, ref: 'HEAD' });
}
