// The reference-transaction hook is called when Git calls it, is told what Git tells it, and stops what it stops
// there.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeWithGit } from '../support/git.ts';
import { buildCommandLine, reftable } from './command-line.ts';
import { expectSame, makeOriginal, type Original, type TwinOptions } from './twins.ts';

/** Tells its state, how it finds the repository, whether it runs at the root of the work tree, and its input; fails in the state `$FAIL`. */
const HOOK = `#!/bin/sh
echo "hook $*"
echo "GIT_DIR \${GIT_DIR-is not set}"
echo "GIT_PREFIX \${GIT_PREFIX-is not set}"
test -d .git && echo at the root
sed 's/^/> /'
test "$1" != "$FAIL" || exit 3
`;

const STATES = ['preparing', 'prepared', 'committed', 'aborted'];

let original: Original;
beforeAll(buildCommandLine);

function install(file: string, text = HOOK, mode = 0o755): void {
  const path = join(original.path, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  onTestFinished(() => rmSync(path));
}

const fill = (text: string) =>
  text.replace(/\b[AB]\b/g, (letter) => (letter === 'A' ? original.first : original.second));

/** The commands of `update-ref --stdin`; the states that the hook was called in. */
function expectSameStates(args: string[], options: TwinOptions = {}): string[] {
  const { stderr } = expectSame(original, args, options);
  return Array.from(stderr.matchAll(/^hook (\w+)$/gm), ([, state]) => state!);
}

describeWithGit('the reference-transaction hook', () => {
  beforeAll(() => {
    original = makeOriginal();
  });

  describe.each(['.git/hooks/reference-transaction'])('in %s', (file) => {
    it.each([
      'create refs/heads/new A\ndelete refs/heads/both A\nverify refs/heads/main B\n',
      'update HEAD A B\nupdate refs/heads/alias B\nupdate ORIG_HEAD B\n',
      'option no-deref\nupdate HEAD A\n',
      'symref-create refs/heads/s refs/heads/main\noption no-deref\nsymref-delete refs/heads/alias\n',
      'option no-deref\nsymref-update HEAD refs/heads/both ref refs/heads/main\n',
      'option no-deref\nsymref-update refs/heads/both HEAD oid A\n',
      'symref-update refs/heads/alias refs/heads/both\n',
      'option no-deref\nsymref-verify HEAD refs/heads/main\nverify refs/heads/nothing\n',
      'create refs/heads/main A\n',
      'create refs/heads/new A\ncreate refs/heads/new A\n',
      'update refs/heads/main B\n',
      '',
      'start\ncreate refs/heads/new A\n',
      'start\nupdate HEAD A\nprepare\n',
      'start\nupdate HEAD A\nabort\n',
      'start\nupdate HEAD A\nprepare\nabort\n',
      'start\nupdate HEAD A\nprepare\ncommit\nstart\nupdate HEAD B\ncommit\n',
      'start\nupdate HEAD A\nprepare\nstart\n',
      'start\nprepare\ncommit\n',
      'start\n',
      'abort\n',
    ])('is told of %j', (input) => {
      install(file);
      expectSame(original, ['update-ref', '--stdin'], { input: fill(input) });
    });

    it('is told of updates that are left out, too', () => {
      install(file);
      const input = fill('create refs/heads/main A\nupdate HEAD A A\ncreate refs/heads/new A\n');
      const args = ['update-ref', '--batch-updates', '--stdin'];
      expect(expectSameStates(args, { input })).toEqual(STATES.slice(0, 3));
    });

    it.each(STATES)('may fail in the state %s', (state) => {
      install(file);
      const env = { FAIL: state };
      const input = fill('update HEAD A\n');
      for (const args of [
        ['update-ref', '--stdin'],
        ['update-ref', 'HEAD', original.first],
        ['update-ref', '-d', 'refs/heads/both'],
        ['symbolic-ref', 'HEAD', 'refs/heads/both'],
        ['symbolic-ref', '-d', 'refs/heads/alias'],
      ]) {
        const given = args.includes('--stdin') ? { input } : {};
        expect(expectSameStates(args, { ...given, env })).toContain('preparing');
      }
      for (const last of ['prepare', 'commit', 'abort']) {
        expectSame(original, ['update-ref', '--stdin'], { input: `start\n${input}${last}\n`, env });
      }
    });

    it.each(STATES)('may stop an entry from being written in the state %s', (state) => {
      install(file);
      const args = ['reflog', 'write', 'refs/heads/main', original.first, original.second, 'why'];
      expect(expectSameStates(args, { env: { FAIL: state } })).toContain('preparing');
    });

    it.each([9, 15, 2])('may be ended by signal %i', (signal) => {
      install(file, `#!/bin/sh\nkill -${signal} $$\n`);
      expectSame(original, ['update-ref', 'refs/heads/new', original.first]);
    });

    it('is not called by what is no transaction', () => {
      install(file);
      expect(expectSameStates(['pack-refs'])).toEqual([]);
      expect(expectSameStates(['show-ref'])).toEqual([]);
    });
  });

  it('is looked for where core.hooksPath says', () => {
    install('elsewhere/reference-transaction');
    install('.git/hooks/reference-transaction', '#!/bin/sh\nexit 1\n');
    const home = { HOME: original.path, GIT_CONFIG_KEY_0: 'core.hooksPath' };
    expect(
      expectSameStates(['update-ref', 'HEAD', original.first], {
        env: { ...home, GIT_CONFIG_VALUE_0: '~/elsewhere' },
      }),
    ).toEqual(STATES.slice(0, 3));
    const hooksPath = { GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: 'elsewhere' };
    expect(expectSameStates(['update-ref', 'HEAD', original.first], { env: hooksPath })).toEqual(
      STATES.slice(0, 3),
    );
  });

  it('may be a command of the configuration, more than one, and disabled', () => {
    install('.git/hooks/reference-transaction');
    const settings = [
      ['hook.one.event', 'reference-transaction'],
      ['hook.one.command', 'echo one; cat; test "$1" != "$FAIL" #'],
      ['hook.two.command', 'echo two'],
      ['hook.two.event', 'reference-transaction'],
      ['hook.off.event', 'reference-transaction'],
      ['hook.off.command', 'exit 1'],
      ['hook.off.enabled', 'false'],
      ['hook.other.event', 'pre-commit'],
      ['hook.other.command', 'exit 1'],
    ];
    const environment = (pairs: string[][]) => ({
      GIT_CONFIG_COUNT: `${pairs.length}`,
      ...Object.fromEntries(
        pairs.flatMap(([key, value], i) => [
          [`GIT_CONFIG_KEY_${i}`, key],
          [`GIT_CONFIG_VALUE_${i}`, value],
        ]),
      ),
    });
    const args = ['update-ref', 'HEAD', original.first];
    const env = environment(settings);
    expect(expectSameStates(args, { env })).toEqual(STATES.slice(0, 3));
    expectSame(original, args, { env: { ...env, FAIL: 'prepared' } });
    expectSame(original, args, {
      env: environment([...settings, ['hook.reference-transaction.enabled', 'false']]),
    });
    expectSame(original, args, { env: environment(settings.slice(0, 1)) });
  });

  it.each([
    ['is not executable', HOOK, 0o644],
    ['names a program that is not there', '#!/nowhere/sh\n', 0o755],
    ['names no program', 'echo "hook $1"; cat\n', 0o755],
    ['does not read', '#!/bin/sh\nexit 0\n', 0o755],
  ])('is treated as by Git where it %s', (_, text, mode) => {
    install('.git/hooks/reference-transaction', text, mode);
    expectSame(original, ['update-ref', 'HEAD', original.first]);
    const lines = Array.from({ length: 3000 }, (_, i) => `create refs/tags/x/${i} A\n`);
    expectSame(original, ['update-ref', '--stdin'], { input: fill(lines.join('')) });
    const silent = { GIT_CONFIG_KEY_0: 'advice.ignoredHook', GIT_CONFIG_VALUE_0: 'false' };
    expectSame(original, ['update-ref', 'HEAD', original.first], { env: silent });
  });

  it('leaves no lock behind where it stops a transaction', () => {
    install('.git/hooks/reference-transaction');
    const options = { cwd: original.path, env: { FAIL: 'prepared' } };
    const { code } = reftable(['update-ref', 'refs/heads/new', original.first], options);
    expect(code).toBe(128);
    expect(reftable(['pack-refs'], options)).toMatchObject({ code: 0, stderr: '' });
  });

  it('has nothing to say where objects are in quarantine', () => {
    install('.git/hooks/reference-transaction');
    const env = { GIT_QUARANTINE_PATH: 'incoming' };
    expectSame(original, ['update-ref', 'HEAD', original.first], { env });
    expectSame(original, ['update-ref', '--stdin'], { env, input: 'start\nprepare\n' });
  });
});
