// What Git once read from each of the fixtures, the command line reads from them.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, type FixtureRef, fixtures } from '../support/fixtures.ts';
import { repositoryOf } from '../support/repository.ts';
import { buildCommandLine, reftable } from './command-line.ts';

beforeAll(buildCommandLine);

function output(gitDir: string, ...args: string[]): string {
  const { code, stdout, stderr } = reftable(['--git-dir', gitDir, ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe.each(fixtures().map((fixture) => [fixture.name, fixture] as const))('%s', (_, fixture) => {
  it('has the refs that Git read', () => {
    const format = '--format=%(refname)%09%(objectname)%09%(symref)';
    const shown = output(repositoryOf(fixture), 'for-each-ref', '--include-root-refs', format);
    expect(shown).toBe(fixture.refs.map(refLine).join(''));
  });

  // `reflog show` leaves out what is no commit that is there, as Git's does, and a fixture has no objects.
  it('has the reflogs that Git read', () => {
    const gitDir = repositoryOf(fixture);
    const names = new Set(fixture.reflog.map(({ ref }) => ref));
    const entries = fixture.tables
      .flatMap((file) => dumpJson(file).records)
      .filter(({ type, deleted }) => type === 'log' && !deleted)
      .map(({ name, entry }) => entryLine(name, entry!.newOid, entry!.message));
    const expected = fixture.reflog.map(({ ref, newOid, message }) =>
      entryLine(ref, newOid, message),
    );
    expect(entries).toEqual(expect.arrayContaining(expected));
    const listed = output(gitDir, 'reflog', 'list').split('\n').slice(0, -1);
    expect(listed.filter((name) => !isEmptyLog(fixture, name))).toEqual([...names]);
  });

  it('shows each ref once', () => {
    const gitDir = repositoryOf(fixture);
    const refs = fixture.refs.filter(({ name }) => name.startsWith('refs/'));
    const shown = output(gitDir, 'for-each-ref', '--format=%(objectname) %(refname)');
    expect(shown).toBe(refs.map(({ name, oid }) => `${oid} ${name}\n`).join(''));
  });

  it('has as many records in its stack as in its tables', () => {
    const gitDir = repositoryOf(fixture);
    const { tables } = JSON.parse(output(gitDir, 'stack', '--json'));
    const expected = fixture.tables.map((file) => {
      const { records, size } = dumpJson(file);
      return {
        size,
        refs: records.filter(({ type, deleted }) => type === 'ref' && !deleted).length,
        logEntries: records.filter(({ type, deleted }) => type === 'log' && !deleted).length,
      };
    });
    expect(tables).toMatchObject(expected);
    expect(readdirSync(join(gitDir, 'reftable'))).toHaveLength(tables.length + 1);
  });
});

function refLine({ name, oid, target = '' }: FixtureRef): string {
  return `${name}\t${oid}\t${target}\n`;
}

function entryLine(name: string, newOid: string, message: string): string {
  return `${newOid} ${name}: ${message.trimEnd()}`;
}

/** A reflog that exists and has no entry is listed, but was not among the entries that Git read. */
function isEmptyLog({ name }: Fixture, log: string): boolean {
  return name === 'empty-reflog' && log === 'refs/tags/logged';
}

interface DumpedRecord {
  type: string;
  name: string;
  deleted?: true;
  entry?: { newOid: string; message: string };
}

function dumpJson(file: string): { records: DumpedRecord[]; size: number } {
  const { stdout } = reftable(['dump', '--json', file]);
  const { blocks, size } = JSON.parse(stdout);
  return { size, records: blocks.flatMap((block: { records: DumpedRecord[] }) => block.records) };
}
