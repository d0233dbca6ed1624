// The commands that change refs do to them, and say, what Git does and says.

import { beforeAll, expect, it } from 'vitest';
import { describeWithGit } from '../support/git.ts';
import { buildCommandLine } from './command-line.ts';
import { expectSame, makeOriginal, type Original } from './twins.ts';

const ZERO = '0'.repeat(40);

let original: Original;
beforeAll(buildCommandLine);

/** `A`, `B`, `T` and `0` as words become the ids of the commits and the tag, and all zeros. */
function fill(text: string): string {
  const ids: Record<string, string> = {
    A: original.first,
    B: original.second,
    T: original.tag,
    0: ZERO,
  };
  return text.replace(/(?<=^|[ \n\0])[ABT0](?=$|[ \n\0])/g, (letter) => ids[letter]!);
}

describeWithGit('writing to a repository', () => {
  beforeAll(() => {
    original = makeOriginal();
  });

  it.each([
    'refs/heads/new A',
    'refs/heads/new A 0',
    'refs/heads/main A',
    'refs/heads/main A B',
    'refs/heads/main A A',
    'refs/heads/main A 0',
    'refs/heads/main 0',
    'HEAD A',
    'HEAD HEAD',
    '--no-deref HEAD A',
    '-m reason HEAD A',
    '-mreason refs/heads/topic/one B',
    'refs/heads/alias B',
    'refs/heads/new topic/one',
    'refs/heads/new heads/both',
    'refs/tags/new v1',
    'refs/heads/new dangling',
    'refs/heads/new both',
    'refs/tags/new T',
    'refs/tags/new @',
    'refs/tags/new origin',
    '--create-reflog refs/tags/new A',
    'refs/heads/topic A',
    'refs/heads/main/sub A',
    'refs/heads/a..b A',
    'unsafe A',
    'SAFE A',
    'refs/heads/new nothing',
    'refs/heads/new A nothing',
    'FETCH_HEAD A',
    '-d refs/heads/both',
    '-d refs/heads/both A',
    '-d refs/heads/both B',
    '-d refs/heads/both 0',
    '-d refs/heads/both nothing',
    '-d refs/heads/alias',
    '-d --no-deref refs/heads/alias',
    '-d refs/heads/nothing',
    '-d refs/heads/nothing A',
    '-d refs/heads/a..b',
    '-m reason -d refs/heads/both',
    '-d',
    '-d a b c',
    'refs/heads/new',
    'a b c d',
    '-z refs/heads/new A',
    '--stdin refs/heads/new',
    '--batch-updates refs/heads/new A',
    '--batch-updates -d refs/heads/both',
    '--nonsense',
    '-m',
  ])('update-ref %s', (line) => {
    expectSame(original, ['update-ref', ...fill(line).split(' ')], { usage: true });
  });

  it('refuses an empty reason', () => {
    expectSame(original, ['update-ref', '-m', '', 'refs/heads/new', original.first]);
    expectSame(original, ['symbolic-ref', '-m', '', 'HEAD', 'refs/heads/both']);
  });

  it('takes an empty old value to mean that the ref must not exist', () => {
    expectSame(original, ['update-ref', 'refs/heads/new', original.first, '']);
    expectSame(original, ['update-ref', 'refs/heads/main', original.first, '']);
  });

  it.each([
    '',
    'create refs/heads/new A\n',
    'create refs/heads/new A',
    'create refs/heads/new A\ncreate refs/tags/new B\ndelete refs/heads/both\n',
    'create refs/heads/main A\n',
    'create refs/heads/new\n',
    'create refs/heads/new \n',
    'create\n',
    'create \n',
    'create  A\n',
    'create refs/heads/new 0\n',
    'create refs/heads/new nothing\n',
    'create refs/heads/new A B\n',
    'create refs/heads/new A \n',
    'create refs/heads/new\tA\n',
    'create refs/heads/new A\tB\n',
    'create refs/heads/a..b A\n',
    'create refs/heads/new topic/two\n',
    'create "refs/heads/new" A\n',
    'create "refs/heads/caf\\303\\251" A\n',
    'create "refs/heads/new"x A\n',
    'create "refs/heads/new A\n',
    'create "refs/heads/\\q" A\n',
    'create refs/heads/new "A\n',
    'create refs/heads/new A\ncreate refs/heads/new B\n',
    'create refs/heads/new A\ncreate refs/heads/new/sub B\n',
    'create refs/heads/topic A\n',
    'update refs/heads/main A\n',
    'update refs/heads/main A B\n',
    'update refs/heads/main A A\n',
    'update refs/heads/new A 0\n',
    'update refs/heads/both 0\n',
    'update refs/heads/main\n',
    'update refs/heads/main A B A\n',
    'update refs/heads/main A nothing\n',
    'update\n',
    'update HEAD A\n',
    'update HEAD A\nupdate refs/heads/main A\n',
    'option no-deref\nupdate HEAD A\n',
    'option no-deref\nupdate refs/heads/main A\nupdate refs/heads/alias B\n',
    'option deref\n',
    'option\n',
    'delete refs/heads/both\n',
    'delete refs/heads/both A\n',
    'delete refs/heads/both B\n',
    'delete refs/heads/both 0\n',
    'delete refs/heads/nothing\n',
    'delete refs/heads/both A B\n',
    'delete\n',
    'verify refs/heads/main B\n',
    'verify refs/heads/main A\n',
    'verify refs/heads/nothing\n',
    'verify refs/heads/nothing 0\n',
    'verify refs/heads/main\n',
    'verify refs/heads/main A B\n',
    'symref-create refs/heads/sym refs/heads/main\n',
    'symref-create refs/heads/sym\n',
    'symref-create refs/heads/sym refs/heads/..\n',
    'symref-create refs/heads/main refs/heads/both\n',
    'symref-create refs/heads/sym refs/heads/main more\n',
    'option no-deref\nsymref-update HEAD refs/heads/both\n',
    'symref-update HEAD refs/heads/both\n',
    'symref-update refs/heads/sym refs/heads/both\n',
    'symref-update refs/heads/main refs/heads/both\n',
    'option no-deref\nsymref-update HEAD refs/heads/both ref refs/heads/main\n',
    'option no-deref\nsymref-update HEAD refs/heads/both ref refs/heads/nothing\n',
    'option no-deref\nsymref-update refs/heads/main refs/heads/both oid B\n',
    'option no-deref\nsymref-update refs/heads/main refs/heads/both oid A\n',
    'symref-update HEAD refs/heads/both oid\n',
    'symref-update HEAD refs/heads/both oid nothing\n',
    'symref-update HEAD refs/heads/both ref a..b\n',
    'symref-update HEAD refs/heads/both what A\n',
    'symref-update HEAD\n',
    'symref-delete refs/heads/alias\n',
    'option no-deref\nsymref-delete refs/heads/alias\n',
    'option no-deref\nsymref-delete refs/heads/alias refs/heads/topic/one\n',
    'option no-deref\nsymref-delete refs/heads/alias refs/heads/main\n',
    'option no-deref\nsymref-delete refs/heads/nothing refs/heads/main\n',
    'option no-deref\nsymref-delete refs/heads/main refs/heads/both\n',
    'option no-deref\nsymref-verify HEAD refs/heads/main\n',
    'option no-deref\nsymref-verify HEAD refs/heads/both\n',
    'option no-deref\nsymref-verify HEAD\n',
    'option no-deref\nsymref-verify refs/heads/nothing\n',
    'symref-verify HEAD refs/heads/main\n',
    'start\ncreate refs/heads/new A\ncommit\n',
    'start\ncreate refs/heads/new A\nprepare\ncommit\n',
    'start\ncreate refs/heads/new A\n',
    'start\ncreate refs/heads/new A\nprepare\n',
    'start\ncreate refs/heads/new A\nabort\n',
    'start\ncreate refs/heads/main A\ncommit\n',
    'start\ncreate refs/heads/new A\ncommit\nstart\ncreate refs/heads/other A\ncommit\n',
    'start\nstart\n',
    'start\nprepare\ncreate refs/heads/new A\n',
    'start\ncommit\ncreate refs/heads/new A\n',
    'start\ncommit\ncommit\n',
    'start\ncreate refs/heads/main A\nprepare\ncommit\n',
    'start\ncreate refs/heads/new A\nprepare\nabort\nstart\ncreate refs/heads/new B\ncommit\n',
    'start\ncreate refs/heads/new A\nprepare\nprepare\n',
    'start\ncreate refs/heads/new A\nprepare\nstart\n',
    'create refs/heads/new A\nprepare\ncommit\n',
    'create refs/heads/new A\nprepare\n',
    'create refs/heads/new A\nabort\ncreate refs/heads/new A\n',
    'prepare\ncommit\n',
    'start\ncreate refs/heads/new A\ncreate refs/heads/new B\nprepare\n',
    'start\ncreate refs/heads/new A\nprepare\nunknown\n',
    `create refs/heads/new ${'1'.repeat(40)}\ncreate refs/heads/new 0\n`,
    `start\ncreate refs/heads/new ${'1'.repeat(40)}\nabort\n`,
    `start\ncreate refs/heads/new ${'1'.repeat(40)}\nstart\n`,
    'start now\n',
    'start',
    'commit\n',
    'abort\n',
    '\n',
    ' create refs/heads/new A\n',
    'create refs/heads/new A\n\n',
    'unknown refs/heads/new A\n',
    '\0\n',
    'create refs/heads/new A\0\n',
    'create refs/heads/new\0 A\n',
    'create\0refs/heads/new A\n',
    'create refs/heads/n\0ew A\n',
    'create "refs/heads/n\0ew" A\n',
    'create refs/heads/new A\0B\n',
    'update refs/heads/new A\0B\n',
    'update refs/heads/new A \0B\n',
    'update refs/heads/new A B\0',
    'symref-create refs/heads/s\0 refs/heads/main\n',
    'symref-create refs/heads/s refs/heads/main\0\n',
    'option no-deref\0\n',
    'option no\0-deref\n',
    'option no-deref',
    'option no-deref \n',
    'option  no-deref\n',
    'start\0\n',
    'commit',
    'commit \n',
    'abort now\n',
    'prepare now\n',
    '\t\n',
    'createrefs/heads/new A\n',
    'create refs/heads/new A\r\n',
    'create refs/heads/new\r\n',
    'create /refs/heads/new A\n',
    'create refs/heads/new/ A\n',
    'create refs//heads A\n',
    'create refs/heads/new.lock A\n',
    'create refs/heads/\x7f A\n',
    'create refs/heads/.new A\n',
    'create HEAD/sub A\n',
    'create refs A\n',
    'create refs/x A\n',
    'create @ A\n',
    'create main A\n',
    'delete main\n',
    'delete refs/../x\n',
    'delete FETCH_HEAD\n',
    'verify MERGE_HEAD\n',
    'symref-create MERGE_HEAD refs/heads/main\n',
    'symref-create refs/heads/s FETCH_HEAD\n',
    'symref-create refs/heads/s other\n',
    'option no-deref\nsymref-update HEAD other\n',
    'option no-deref\ndelete HEAD\n',
    'delete HEAD\n',
    'delete HEAD B\n',
    'option no-deref\nsymref-delete HEAD\n',
    `create refs/heads/new ${'a'.repeat(39)}\n`,
    `create refs/heads/new ${'a'.repeat(41)}\n`,
    `create refs/heads/new ${'a'.repeat(64)}\n`,
    `create refs/heads/new ${'g'.repeat(40)}\n`,
    `create refs/heads/${'x'.repeat(3000)} A\n`,
    `create refs/heads/${'x'.repeat(5000)} A\n`,
    `symref-create refs/heads/s refs/heads/${'x'.repeat(5000)}\n`,
    `start\ncreate refs/heads/${'x'.repeat(5000)} A\nprepare\ncommit\n`,
    'update HEAD A\noption no-deref\nsymref-update HEAD refs/heads/both\n',
    'option no-deref\nsymref-update HEAD refs/heads/both\nupdate refs/heads/main A\n',
    'option no-deref\nsymref-update HEAD refs/heads/both\nupdate refs/heads/both B\n',
    'update refs/heads/both B\noption no-deref\nsymref-update refs/heads/both refs/heads/main\n',
    'option no-deref\noption no-deref\nupdate HEAD A\nupdate refs/heads/alias B\n',
    'option no-deref\nstart\nsymref-verify HEAD refs/heads/main\ncommit\n',
    'constructor refs/heads/new A\n',
    'update\tHEAD A\n',
  ])('update-ref --stdin %j', (input) => {
    expectSame(original, ['update-ref', '--stdin'], { input: fill(input) });
  });

  it.each([
    'create refs/heads/new\0A\0',
    'create refs/heads/new\0A',
    'create refs/heads/new\0',
    'create refs/heads/new',
    'create refs/heads/new\0\0',
    'create refs/heads/two words\0A\0',
    'update refs/heads/main\0A\0B\0',
    'update refs/heads/main\0A\0\0',
    'update refs/heads/main\0\0\0',
    'update refs/heads/main\0A\0',
    'update refs/heads/main\0A\0A\0delete refs/heads/both\0A\0',
    'delete refs/heads/both\0\0verify refs/heads/main\0B\0',
    'verify refs/heads/nothing\0\0',
    'option no-deref\0symref-update HEAD\0refs/heads/both\0ref\0refs/heads/main\0',
    'option no-deref\0symref-update HEAD\0refs/heads/both\0\0\0',
    'symref-create refs/heads/sym\0refs/heads/main\0',
    'option no-deref\0symref-delete refs/heads/alias\0\0',
    'start\0create refs/heads/new\0A\0commit\0',
    'start\ncommit\n',
    '\0',
    '\n\0',
    ' create refs/heads/new\0A\0',
    'create\0refs/heads/new\0A\0',
    'create \0A\0',
    'create refs/heads/new\0A\0\0',
    'create refs/heads/new\0nothing\0',
    'create refs/heads/a..b\0A\0',
    'update refs/heads/new\0',
    'update refs/heads/new\0A',
    'update refs/heads/new\0A\0B',
    'update refs/heads/new\0\0',
    'update',
    'update ',
    'delete refs/heads/both',
    'delete refs/heads/both\0',
    'delete refs/heads/both\0A',
    'verify refs/heads/main',
    'verify refs/heads/main\0',
    'symref-create refs/heads/s',
    'symref-create refs/heads/s\0',
    'symref-create refs/heads/s\0refs/heads/main',
    'symref-update refs/heads/alias\0refs/heads/main\0',
    'symref-update refs/heads/alias\0refs/heads/main\0ref\0',
    'symref-update refs/heads/alias\0refs/heads/main\0oid\0A',
    'symref-update refs/heads/alias\0refs/heads/main\0what\0A\0',
    'option no-deref',
    'option no-deref\0symref-verify HEAD\0',
    'option no-deref\0symref-verify HEAD\0refs/heads/main',
    'option deref\0',
    'start',
    'start\0prepare\0commit\0',
    'start\0update HEAD\0A\0\0prepare\0abort\0',
    'create "refs/heads/q"\0A\0',
  ])('update-ref --stdin -z %j', (input) => {
    expectSame(original, ['update-ref', '-z', '--stdin'], { input: fill(input) });
  });

  it.each([
    'create refs/heads/main A\ncreate refs/heads/new A\ndelete refs/heads/nothing A\n',
    'update refs/heads/main A A\nverify refs/heads/both B\nverify refs/heads/topic/one\n',
    'create refs/heads/d A\ncreate refs/heads/d/e A\ncreate refs/heads/d/f A\n',
    'create refs/heads/d/f A\ncreate refs/heads/d/e A\ncreate refs/heads/d A\n',
    'create refs/heads/main/a A\ncreate refs/heads/main/b A\ncreate refs/heads/topic A\n',
    'create refs/heads/new A\ncreate refs/heads/new A\n',
    'create FETCH_HEAD A\ncreate refs/heads/new A\n',
    'update HEAD A A\nupdate refs/heads/new A\n',
    'update HEAD A\nupdate refs/heads/main A\n',
    'update refs/heads/main A\nupdate HEAD A\n',
    'update refs/heads/main A A\n',
    'create refs/heads/alias A\ncreate refs/heads/dangling A\nupdate refs/heads/alias/x A\n',
    'update refs/heads/alias B\nupdate refs/heads/topic/one B\nupdate refs/heads/new A\n',
    'update refs/heads/topic/one B A\nupdate refs/heads/alias B\nupdate refs/heads/new A\n',
    'update refs/heads/topic/one B B\nupdate refs/heads/alias B\nupdate refs/heads/new A\n',
    'option no-deref\ncreate refs/heads/dangling A\noption no-deref\ncreate HEAD A\n',
    'symref-create refs/heads/both refs/heads/main\nsymref-create refs/heads/s refs/heads/main\n',
    'symref-update refs/heads/main refs/heads/both ref refs/heads/both\ncreate refs/heads/n A\n',
    'option no-deref\nsymref-update HEAD refs/heads/both ref refs/heads/both\n',
    'option no-deref\nsymref-update refs/heads/main refs/heads/both oid A\n',
    'option no-deref\nsymref-delete refs/heads/main refs/heads/both\n',
    'option no-deref\nsymref-verify HEAD refs/heads/both\ncreate refs/heads/new A\n',
    'option no-deref\nsymref-verify refs/heads/nothing refs/heads/both\n',
    'start\ncreate refs/heads/main A\ncreate refs/heads/new A\nprepare\ncommit\n',
    'start\ncreate refs/heads/main A\ncommit\nstart\ncreate refs/heads/new A\ncommit\n',
    `create refs/heads/new ${'1'.repeat(40)}\ncreate refs/heads/new A\n`,
    'create refs/heads/new nothing\n',
    '',
  ])('update-ref --batch-updates --stdin %j', (input) => {
    expectSame(original, ['update-ref', '--batch-updates', '--stdin'], { input: fill(input) });
  });

  it('gives every update of a call the same reason, options and committer', () => {
    const input = fill(
      'create refs/tags/new A\nupdate HEAD A\noption no-deref\nupdate ORIG_HEAD B\n',
    );
    const env = { GIT_COMMITTER_NAME: 'Somebody Else', GIT_COMMITTER_DATE: '1234567890 +0545' };
    const args = ['update-ref', '-m', ' the  reason\n', '--create-reflog', '--stdin'];
    expectSame(original, args, { input, env });
  });

  it('reads names that are not UTF-8', () => {
    const create = (name: string) => Buffer.from(`create ${name} ${original.first}\n`, 'latin1');
    const input = Buffer.concat([create('refs/heads/caf\xe9'), create('"refs/heads/\\377\xfe"')]);
    expectSame(original, ['update-ref', '--stdin'], { input });
  });

  it('reads input of many pieces', () => {
    const lines = Array.from({ length: 9_000 }, (_, i) => `create refs/tags/é/${i} A\n`);
    const { code } = expectSame(original, ['update-ref', '--stdin'], {
      input: fill(lines.join('')),
    });
    expect(code).toBe(0);
  });

  it.each([
    'HEAD refs/heads/both',
    '-m reason HEAD refs/heads/both',
    'refs/heads/sym refs/heads/nowhere',
    'refs/heads/alias refs/heads/main',
    'refs/heads/main refs/heads/both',
    'refs/heads/main/sub refs/heads/both',
    '-d refs/heads/alias',
    '--delete refs/heads/dangling',
  ])('symbolic-ref %s', (line) => {
    expectSame(original, ['symbolic-ref', ...line.split(' ')]);
  });
});

describeWithGit('writing to a repository of SHA-256', () => {
  it('does what Git does', () => {
    const sha256 = makeOriginal('sha256');
    const input = `create refs/heads/new ${sha256.first}\nupdate HEAD ${sha256.first}\n`;
    expectSame(sha256, ['update-ref', '--stdin'], { input });
    const short = `create refs/heads/new ${'1'.repeat(63)}\n`;
    expect(expectSame(sha256, ['update-ref', '--stdin'], { input: short }).code).toBe(128);
    const rejected =
      'option no-deref\nsymref-update HEAD refs/heads/both ref refs/heads/both\n' +
      `create refs/heads/main ${sha256.first}\nverify refs/heads/both ${sha256.second}\n`;
    const args = ['update-ref', '--batch-updates', '--stdin'];
    expect(expectSame(sha256, args, { input: rejected }).stdout).toMatch(/^rejected /);
  });
});
