// The stacks that real Git wrote, with what Git reads from them, as typed rows. How they were made
// and what the columns are is told in test/fixtures/README.md.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STACKS = fileURLToPath(new URL('../fixtures/stacks', import.meta.url));

export interface FixtureRef {
  /** A full name, or a root ref's (`HEAD`). */
  name: string;
  /** Hex; what a symref resolves to. */
  oid: string;
  /** Hex: what an annotated tag comes down to. */
  peeled?: string;
  /** Where a symref points. */
  target?: string;
}

export interface FixtureLogEntry {
  ref: string;
  newOid: string;
  committer: {
    name: string;
    email: string;
    /** Seconds since the epoch. */
    time: number;
    /** Minutes east of UTC. */
    timezone: number;
  };
  message: string;
}

export interface Fixture {
  name: string;
  /** The folder that holds `tables.list`, a repository's `reftable/`. */
  stackFolder: string;
  /** The paths of the tables, oldest first. */
  tables: string[];
  objectFormat: 'sha1' | 'sha256';
  /** Git's settings, by lower-case key. */
  config: Record<string, string>;
  /** In byte order of their names. A symref to a branch that is not born is not among them. */
  refs: FixtureRef[];
  /** Ref by ref in byte order of their names, each newest first. */
  reflog: FixtureLogEntry[];
}

/** Every case, by name. */
export function fixtures(): Fixture[] {
  return readdirSync(STACKS).sort().map(fixture);
}

/** The case of a name, say `tombstones`. */
export function fixture(name: string): Fixture {
  const folder = join(STACKS, name);
  const stackFolder = join(folder, 'reftable');
  const about = lines(join(folder, 'about.txt'));
  return {
    name,
    stackFolder,
    tables: lines(join(stackFolder, 'tables.list')).map((table) => join(stackFolder, table)),
    objectFormat: about.includes('object-format sha256') ? 'sha256' : 'sha1',
    config: Object.fromEntries(
      about.filter((line) => line.includes('=')).map((line) => line.split('=', 2)),
    ),
    refs: lines(join(folder, 'refs.txt')).map(parseRef),
    reflog: lines(join(folder, 'reflog.txt')).map(parseLogEntry),
  };
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

function parseRef(line: string): FixtureRef {
  const [name = '', oid = '', peeled, target] = line.split('\t');
  return { name, oid, ...(peeled && { peeled }), ...(target && { target }) };
}

function parseLogEntry(line: string): FixtureLogEntry {
  const [selector = '', newOid = '', name = '', email = '', message = ''] = line.split('\t');
  const [, ref, time, sign, hours, minutes] =
    /^(.*)@\{(\d+) ([+-])(\d\d)(\d\d)\}$/.exec(selector) ?? [];
  if (ref === undefined) throw new Error(`not a reflog selector: ${selector}`);
  const timezone = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  return {
    ref,
    newOid,
    committer: { name, email, time: Number(time), timezone: timezone === 0 ? 0 : timezone },
    message,
  };
}
