import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeText } from '../../src/format/text.ts';
import {
  checkRefName,
  isPseudoref,
  isRootRef,
  isSafeRefName,
  plainRefNameEnd,
} from '../../src/refs/ref-name.ts';
import { describeWithGit, git } from '../support/git.ts';

describe('checkRefName', () => {
  it.each([
    'refs/heads/main',
    'refs/heads/a.b',
    'refs/heads/a./b',
    'refs/heads/@',
    'refs/heads/{x}',
    'refs/heads/a.lock.x',
    'refs/heads/lock',
    'refs/heads/Ünïcödé/😀',
    'a/b',
  ])('accepts %j', (name) => {
    expect(checkRefName(name)).toBeUndefined();
  });

  it.each([
    ['', 'is empty'],
    ['/a/b', 'has an empty component'],
    ['a//b', 'has an empty component'],
    ['a/b/', "ends with '/'"],
    ['a/.b', "has a component that begins with '.'"],
    ['a/..', "has a component that begins with '.'"],
    ['a/b..c', "contains '..'"],
    ['a/b.', "ends with '.'"],
    ['a/b.lock', "has a component that ends with '.lock'"],
    ['a.lock/b', "has a component that ends with '.lock'"],
    ['a/b@{c', "contains '@{'"],
    ['a/b c', 'contains a space'],
    ['a/b\tc', 'contains a control character'],
    ['a/b\x7f', 'contains a control character'],
    ['a/b\0', 'contains a control character'],
    ['a/b:c', "contains ':'"],
    ['a/b*', "contains '*'"],
    ['a/b\\c', "contains '\\'"],
    ['main', 'has only one component'],
  ])('refuses %j: it %s', (name, reason) => {
    expect(checkRefName(name)).toBe(reason);
  });

  it('accepts one component where that is allowed, but not a lone @', () => {
    expect(checkRefName('HEAD', { allowOneLevel: true })).toBeUndefined();
    expect(checkRefName('@', { allowOneLevel: true })).toBe("is '@'");
  });

  it('accepts bytes that are not UTF-8, carried as U+DC80..U+DCFF', () => {
    expect(checkRefName('refs/heads/caf\udce9')).toBeUndefined();
    expect(checkRefName('refs/heads/\udce2\udc82x')).toBeUndefined();
  });

  it.each([
    'refs/heads/\ud83d',
    'refs/heads/\ud83dx',
    'refs/heads/\udc00',
    'refs/heads/\udd00',
    'refs/heads/\ud83d\ud83d',
  ])('refuses %j, which stands for no bytes', (name) => {
    expect(checkRefName(name)).toBe('contains a lone surrogate');
  });

  it('refuses a second spelling of valid UTF-8', () => {
    expect(checkRefName('refs/heads/\udcc3\udca9')).toBe('spells valid UTF-8 in escaped bytes');
  });
});

describe('plainRefNameEnd', () => {
  const pieces = [
    'refs/',
    'heads/',
    'a',
    'k',
    '.',
    '..',
    '/',
    '@',
    '{',
    '.lock',
    'é',
    '-',
    '~',
    ':',
  ];
  const name = fc
    .array(fc.constantFrom(...pieces), { maxLength: 8 })
    .map((parts) => parts.join(''));

  it('finds the end of each name below refs/ that is a good one, and of no other', () => {
    fc.assert(
      fc.property(name, fc.constantFrom(' ', '\n', '\0'), (ref, after) => {
        const bytes = encodeText(`refs/${ref}${after}x`);
        const end = plainRefNameEnd(bytes, 0, bytes.length);
        const whole = encodeText(`refs/${ref}`).length;
        // A name that holds what no name may hold ends before that.
        const read = end < 0 ? `refs/${ref}` : new TextDecoder().decode(bytes.subarray(0, end));
        expect(end < 0).toBe(checkRefName(read.split(/[~:]/)[0]!) !== undefined);
        if (!/[~:]/.test(ref) && end >= 0) expect(end).toBe(whole);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds none elsewhere, nor beyond the limit', () => {
    const bytes = encodeText('refs/heads/main HEAD ref');
    expect(plainRefNameEnd(bytes, 16, bytes.length)).toBe(-1);
    expect(plainRefNameEnd(bytes, 21, bytes.length)).toBe(-1);
    expect(plainRefNameEnd(bytes, 0, 12)).toBe(12);
    expect(plainRefNameEnd(bytes, 0, 11)).toBe(-1);
  });
});

describe('names beside refs/', () => {
  it.each([
    ['HEAD', true],
    ['ORIG_HEAD', true],
    ['CHERRY_PICK_HEAD', true],
    ['MY-OWN_HEAD', true],
    ['AUTO_MERGE', true],
    ['BISECT_EXPECTED_REV', true],
    ['MERGE_AUTOSTASH', true],
    ['NOTES_MERGE_PARTIAL', true],
    ['NOTES_MERGE_REF', true],
    ['FETCH_HEAD', false],
    ['MERGE_HEAD', false],
    ['OTHER', false],
    ['lower_HEAD', false],
    ['refs/heads/x_HEAD', false],
    ['', false],
  ])('isRootRef(%j) is %s', (name, expected) => {
    expect(isRootRef(name)).toBe(expected);
  });

  it('knows the two pseudorefs', () => {
    expect(['FETCH_HEAD', 'MERGE_HEAD', 'ORIG_HEAD', 'HEAD'].map(isPseudoref)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['refs/heads/a b', true],
    ['refs/a..b', true],
    ['refs/.hidden', true],
    ['refs/heads/x.lock', true],
    ['SOME_THING', true],
    ['refs/', false],
    ['refs//a', false],
    ['refs/a/', false],
    ['refs/a//b', false],
    ['refs/../config', false],
    ['refs/a/..', false],
    ['refs/./a', false],
    ['config', false],
    ['WITH-DASH', false],
    ['', false],
  ])('isSafeRefName(%j) is %s', (name, expected) => {
    expect(isSafeRefName(name)).toBe(expected);
  });
});

describeWithGit('beside git check-ref-format', () => {
  const parts = ['a', '.', '..', '@', '{', '@{', '/', '.lock', 'lock', ' ', '~', '\x01', 'é', '😀'];
  const corpus = [
    ...parts.flatMap((x) => parts.flatMap((y) => [x + y, `a${x}${y}`, `a/${x}${y}`, `${x}/${y}b`])),
    ...Array.from({ length: 0x7f }, (_, i) => `r/a${String.fromCharCode(i + 1)}b`),
  ];
  const names = [...new Set(corpus)];

  it.each([
    ['--allow-onelevel', true],
    ['--no-allow-onelevel', false],
  ])(`gives its verdict on ${names.length} names with %s`, (flag, allowOneLevel) => {
    const verdicts = git
      .output(
        [
          '-c',
          'alias.check=!f() { for n; do git check-ref-format "$FLAG" "$n" && echo ok || echo bad; done; }; f',
          'check',
          ...names,
        ],
        { env: { FLAG: flag } },
      )
      .trimEnd()
      .split('\n');
    const ours = names.map((name) => (checkRefName(name, { allowOneLevel }) ? 'bad' : 'ok'));
    expect(names.filter((_, i) => ours[i] !== verdicts[i])).toEqual([]);
    expect(new Set(verdicts)).toEqual(new Set(['ok', 'bad']));
  });
});
