import { describe, expect, it } from 'vitest';
import { encodeText } from '../../src/format/text.ts';
import { normalizeReflogMessage } from '../../src/reflog/message.ts';
import { describeWithGit, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const messages = [
  '',
  'commit: one',
  '  two \t words \n\n and a line\r\n',
  ' \n\t ',
  'vertical\vtab and\ffeed\u00a0stay',
  'x'.repeat(127),
  'x'.repeat(128),
  'x'.repeat(200),
  `${'x'.repeat(127)} cut after the space`,
  `${'x'.repeat(126)}é cut before it ends`,
  `${'x'.repeat(126)}😀 cut inside it`,
  'é'.repeat(63),
  'é'.repeat(64),
  'é'.repeat(65),
];

describe('normalizeReflogMessage', () => {
  it.each([
    ['  two \t words \n\n and a line\r\n', 'two words and a line'],
    [' \n\t ', ''],
    ['kept\vas it is', 'kept\vas it is'],
    ['up to the NUL \0not this', 'up to the NUL'],
  ])('folds %j to %j', (message, stored) => {
    expect(normalizeReflogMessage(message, 4096)).toBe(stored);
  });

  it('cuts to half the block size in bytes, inside a character if need be', () => {
    const stored = normalizeReflogMessage('é'.repeat(100), 255);
    expect(encodeText(stored)).toEqual(encodeText('é'.repeat(64)).slice(0, 127));
  });

  it('takes a block size of 0 for the default of 4096', () => {
    expect(normalizeReflogMessage('x'.repeat(3000), 0)).toHaveLength(2048);
  });
});

describeWithGit('beside the messages that Git stores', () => {
  it('gives the same bytes', () => {
    const folder = temporaryFolder();
    const env = { GIT_DIR: folder };
    git.output(['init', '--ref-format=reftable', '--bare', folder]);
    git.output(['config', 'core.logAllRefUpdates', 'always'], { env });
    git.output(['config', 'reftable.blockSize', '256'], { env });
    const tree = git.output(['hash-object', '-t', 'tree', '-w', '--stdin'], { env }).trim();
    const oid = git.output(['commit-tree', tree, '-m', 'one'], { env }).trim();
    messages.forEach((message, i) => {
      const arguments_ = ['update-ref', '-m', message, `refs/tags/${i}`, oid];
      // Git refuses a message that it was given, but which is empty.
      if (message === '') arguments_.splice(1, 2);
      git.output(arguments_, { env });
    });
    const stored = messages.map((_, i) => {
      const entry = git.run(['log', '-g', '-1', '--format=%gs', `refs/tags/${i}`], { env });
      return [...entry.stdoutBytes.subarray(0, -1)];
    });
    expect(messages.map((m) => [...encodeText(normalizeReflogMessage(m, 256))])).toEqual(stored);
  });
});
