import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/format/text.ts';
import { parseConfig } from '../../src/repository/config.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const parse = (text: string) => parseConfig(text, '/repo/config');

describe('a configuration', () => {
  it('knows sections and names in any case, subsections only as written', () => {
    const config = parse('[Remote "Origin.X"]\n\tUrl = here\n[CORE]\nBare = yes\n');
    expect(config.get('remote.Origin.X.URL')).toBe('here');
    expect(config.get('remote.origin.x.url')).toBeUndefined();
    expect(config.getBoolean('core.BARE')).toBe(true);
  });

  it('gives the last of several values, or all', () => {
    const config = parse('[a]\nb = 1\nb = 2\n[c]\nd = x\n[a]\nb = 3\n');
    expect(config.get('a.b')).toBe('3');
    expect(config.getAll('a.b')).toEqual(['1', '2', '3']);
    expect(config.getAll('a.none')).toEqual([]);
  });

  it('takes a name without a value for true, but for no text', () => {
    const config = parse('[a]\n  b\n');
    expect(config.getBoolean('a.b')).toBe(true);
    expect(config.find('a.b')).toEqual({
      key: 'a.b',
      value: null,
      scope: 'local',
      file: '/repo/config',
      line: 2,
    });
    expect(() => config.get('a.b')).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: "bad config variable 'a.b' in file '/repo/config' at line 2",
        file: '/repo/config',
      }),
    );
  });

  it.each([
    ['true', true],
    ['YES', true],
    ['on', true],
    ['2', true],
    ['-1k', true],
    ['false', false],
    ['No', false],
    ['off', false],
    ['0', false],
    ['0x0', false],
    ['', false],
  ])('reads %j as the boolean %s', (text, value) => {
    expect(parse(`[a]\nb = ${text}\n`).getBoolean('a.b')).toBe(value);
  });

  it.each(['maybe', 'tru', '1x', '3000000000'])('refuses %j as a boolean', (text) => {
    expect(() => parse(`[a]\nb = ${text}\n`).getBoolean('a.b')).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: `bad boolean config value '${text}' for 'a.b'`,
      }),
    );
  });

  it.each([
    ['0', 0],
    ['-17', -17],
    ['+4', 4],
    ['4k', 4096],
    ['2M', 2 * 1024 ** 2],
    ['1g', 1024 ** 3],
    ['0x10', 16],
    ['010', 8],
    ['-0x1k', -1024],
  ])('reads %j as the integer %i', (text, value) => {
    expect(parse(`[a]\nb = ${text}\n`).getInteger('a.b')).toBe(value);
  });

  it.each([
    ['', 'invalid unit'],
    ['x', 'invalid unit'],
    ['1t', 'invalid unit'],
    ['1 k', 'invalid unit'],
    ['08', 'invalid unit'],
    ['1.5', 'invalid unit'],
    ['-1', 'invalid unit'],
    ['16777216', 'out of range'],
    ['99999999999999999999g', 'out of range'],
  ])('refuses %j as an integer between 0 and 16777215: %s', (text, reason) => {
    const config = parse(`[a]\nb = "${text}"\n`);
    expect(() => config.getInteger('a.b', { min: 0, max: 16777215 })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: `bad numeric config value '${text}' for 'a.b' in file /repo/config: ${reason}`,
        file: '/repo/config',
      }),
    );
  });

  it.each([
    ['b = 1\n', 1],
    ['[a]\n[b\n', 2],
    ['[a]\n\n[b "c]\n', 3],
    ['[]\n', 1],
    ['[a] b = "x\ny"\n', 1],
    ['[a]\nb = \\x\n', 2],
    ['[a]\nb c\n', 2],
    ['[a]\n1 = 2\n', 2],
    ['[a]\nb = one \\\n "two\n', 3],
  ])('refuses %j at its line %i', (text, line) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: `bad config line ${line} in file /repo/config`,
        file: '/repo/config',
      }),
    );
  });
});

describeWithGit('beside git config --list', () => {
  const files: Record<string, string | Buffer> = {
    empty: '',
    'no newline at the end': '[a]\nb = c',
    'a section and a setting on a line': '[a] b = c\n[d]e=f\n',
    subsections: '[a "B c"]\nd = 1\n[A "q\\"\\\\u\\x."]\nD = 2\n[a.B.C]\nd = 3\n[a.b "C"]\nd = 4\n',
    'an empty subsection': '[a ""]\nb = 1\n',
    'space before a subsection': '[a \t "b"]\nc = 1\n',
    'names alone': '[a]\nb\nc  \nd=\ne = ""\n',
    comments: '# one\n; two\n[a] # three\nb = c ; four\nd = e#five\nf = "g # h" ; i\nj = ;\n',
    spaces: '[a]\n\tb   =   c   d\te  \n f =\t"  g  "  h  \ni = x "" \nj = " " y\n',
    quotes: '[a]\nb = "c"d"e"\nf = a\\"b\ng = "x\\ty\\nz\\b"\nh = a\\\\b\n',
    continuation: '[a]\nb = one \\\n  two\\\nthree\nc = "one \\\ntwo"\nd = x \\\n\ne = y\\\n',
    'a continued comment': '[a]\nb = c # d \\\ne = f\n',
    'carriage returns': '[a]\r\nb = c\r\nd = "e"\r\nf\r\ng = x\\\r\ny\r\nh = a\rb\r\n',
    'a byte order mark': '\ufeff[a]\nb = c\n',
    'bytes that are not UTF-8': Buffer.from('[a "\xe9"]\nb = caf\xe9 \xff\n', 'latin1'),
    'other characters': '[a "ü😀"]\nb = ÿ\u00a0\u2003\nc = \v x\n',
    'repeated settings': '[a]\nb = 1\nb = 2\n[A]\nB = 3\n',
    'dashes and digits': '[1-a]\nb-2 = 3\n[-]\nx- = 1\n',
    'a space for a section': '[ "a"]\nb = 1\n',
  };

  it.each(Object.entries(files))('reads %s', (_, text) => {
    const file = join(temporaryFolder(), 'config');
    writeFileSync(file, text);
    const listed = git.run(['config', '--file', file, '--list', '-z']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    const ours = parseConfig(decodeText(Buffer.from(text)), file).entries.map(
      ({ key, value }) => `${key}${value === null ? '' : `\n${value}`}\0`,
    );
    expect(ours.join('')).toBe(decodeText(listed.stdoutBytes));
  });

  const broken = [
    '[a]\nb = "c\n',
    '[a]\nb = "c\nd = e"\n',
    '[a]\nb = \\c\n',
    '[a]\nb = one \\\n two \\x\n',
    '[a]\nb c\n',
    '[a]\nb : c\n',
    '[a]\n= c\n',
    '[a]\n\n_b = c\n',
    '[a\n]\nb = c\n',
    '[a "b\n"]\nc = d\n',
    '[a "b\\\n"]\nc = d\n',
    '[a "b" ]\nc = d\n',
    '[a b]\nc = d\n',
    '[a_b]\nc = d\n',
    '[]\nb = c\n',
    '["a"]\nb = c\n',
    '[a]\nb\rc\n',
  ];

  it.each(broken)('refuses %j at the same line', (text) => {
    const file = join(temporaryFolder(), 'config');
    writeFileSync(file, text);
    const { code, stderr } = git.run(['config', '--file', file, '--list', '-z']);
    expect(code).toBe(128);
    expect(() => parseConfig(text, file)).toThrow(stderr.replace(/^fatal: /, '').trimEnd());
  });
});
