import { beforeAll, describe, expect, it } from 'vitest';
import { buildCommandLine, reftable } from './command-line.ts';

beforeAll(buildCommandLine);

describe('reftable explore', () => {
  it('tells of each operation in how many states nothing is lost', () => {
    const { code, stdout } = reftable(['explore', '--operations=append,dead-lock', '--states=100']);
    expect(code).toBe(0);
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^operation +states +lock by hand +verdict \(seed 1\)$/);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      ['append', '100', expect.stringMatching(/^\d+$/), 'nothing is lost'],
      ['dead-lock', '100', expect.stringMatching(/^\d+$/), 'nothing is lost'],
      ['together', '200', expect.stringMatching(/^\d+$/), 'nothing is lost'],
    ]);
  });

  it('shows what is lost, fails, and shows it again', () => {
    const planted = ['--seed=3', '--mutate=table-fsync'];
    const { code, stdout } = reftable([
      'explore',
      '--operations=append',
      '--states=900',
      ...planted,
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^append +900 +\d+ +LOST in \d+ cases$/m);
    const again = /^again: reftable (.*)$/m.exec(stdout)![1]!.split(' ');
    expect(again.slice(0, 3)).toEqual(['explore', ...planted]);
    const shown = reftable(again);
    expect(shown.code).toBe(1);
    expect(stdout).toContain(shown.stdout);
    const { loss } = JSON.parse(reftable([...again, '--json']).stdout);
    expect(loss).toMatchObject({ cause: 'power failure', fault: expect.stringContaining('.ref') });
  });

  it('is the same in JSON', () => {
    const { code, stdout } = reftable(['explore', '--operations=clean', '--states=50', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      seed: 1,
      operations: [{ operation: 'clean', states: 50, byHand: expect.any(Number), losses: 0 }],
    });
  });

  it.each([
    [['--operations=append,nothing'], /--operations: expected one of append, .*, found 'nothing'/],
    [['--mutate=all'], /--mutate: expected one of table-fsync, .*, found 'all'/],
    [['--states=0'], /--states: expected a number from 1 on, found '0'/],
    [['--seed=x'], /--seed: expected a number from 1 on, found 'x'/],
  ])('refuses %s', (args, message) => {
    expect(reftable(['explore', ...args])).toMatchObject({
      code: 129,
      stderr: expect.stringMatching(message),
    });
  });

  it('says so where there is no such case', () => {
    expect(reftable(['explore', '--case=append/0/999/1'])).toMatchObject({
      code: 128,
      stderr: "fatal: no case 'append/0/999/1' with seed 1\n",
    });
  });
});
