// `reftable doctor` on broken repositories: what it says, what --fix mends, and that it leaves the rest alone.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { thisMachine } from '../../src/stack/lock/machine.ts';
import { formatOwner, type LockOwner } from '../../src/stack/lock/owner.ts';
import { bundledScript } from '../support/bundled-script.ts';
import { describeWithGit, ENVIRONMENT, git } from '../support/git.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildCommandLine, commandLine, reftable } from './command-line.ts';

beforeAll(buildCommandLine);

/** Nobody at all, as far as most systems are concerned. */
const OTHER_USER = 65534;
const STALE = '0x000000000001-0x000000000001-0badcafe.ref';

/** A repository with several tables, made by Git once and copied for each test. */
let original: string;

beforeAll(() => {
  original = join(temporaryFolder(), 'original');
  const env = { GIT_TEST_REFTABLE_AUTOCOMPACTION: 'false' };
  const run = (...args: string[]) => git.output(args, { cwd: original, env }).trimEnd();
  git.output(['init', '-q', '--ref-format=reftable', original], { env });
  run('config', 'maintenance.auto', 'false');
  run('commit', '-q', '--allow-empty', '-m', 'first');
  run('branch', 'topic');
  run('tag', '-m', 'annotated', 'v1');
  run('commit', '-q', '--allow-empty', '-m', 'second');
  run('branch', '-D', 'topic');
});

class Patient {
  readonly path = join(temporaryFolder(), 'repository');
  readonly gitDir = join(this.path, '.git');
  readonly folder = join(this.gitDir, 'reftable');

  constructor() {
    fs.cpSync(original, this.path, { recursive: true });
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  get list(): string[] {
    return fs.readFileSync(this.file('tables.list'), 'utf8').split('\n').slice(0, -1);
  }

  set list(names: readonly string[]) {
    fs.writeFileSync(this.file('tables.list'), names.map((name) => `${name}\n`).join(''));
  }

  /** The path of a table by its place in the list; -1 is the newest. */
  table(place: number): string {
    return this.file(this.list.at(place)!);
  }

  doctor(...args: string[]) {
    return reftable(['doctor', ...args], { cwd: this.path });
  }

  /** What is found but for notices: `kind file`, the file within the repository. */
  findings(...args: string[]): string[] {
    const { findings } = JSON.parse(this.doctor('--json', ...args).stdout);
    return findings
      .filter(({ severity }: { severity: string }) => severity !== 'notice')
      .map(({ kind, file }: { kind: string; file: string }) => {
        return `${kind} ${file.slice(this.gitDir.length + 1)}`;
      });
  }
}

/** Every file below a folder, with what is in it and when it was changed. */
function contentOf(folder: string): Record<string, string> {
  const content: Record<string, string> = {};
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs, ctimeMs } = fs.statSync(path);
    const bytes = entry.isFile() ? fs.readFileSync(path).toString('latin1') : '';
    content[path] = `${mtimeMs} ${ctimeMs} ${bytes}`;
  }
  return content;
}

/** All refs and reflogs, as Git reads them. */
function stateOf(path: string): string {
  const format = '--format=%(refname) %(objectname) %(*objectname) %(symref)';
  const refs = git.output(['for-each-ref', '--include-root-refs', format], { cwd: path });
  const names = git.output(['reflog', 'list'], { cwd: path });
  const log = git.output(['log', '-g', '--format=%gD %H %gs', 'HEAD', '--'], { cwd: path });
  return refs + names + log;
}

function expectSound(patient: Patient): void {
  expect(stateOf(patient.path)).toBe(stateOf(original));
  expect(git.run(['refs', 'verify'], { cwd: patient.path })).toMatchObject({ code: 0, stderr: '' });
  expect(patient.findings()).toEqual([]);
  expect(patient.doctor().code).toBe(0);
}

/** An owner that is this very thread, but for what is told otherwise. */
function ownerLike(identity: object, others: Partial<LockOwner> = {}): Uint8Array {
  const self = thisMachine.self();
  const token = thisMachine.newToken();
  return formatOwner({ ...self, token, ...others, identity: { ...self.identity!, ...identity } });
}

interface Case {
  name: string;
  harm(patient: Patient): void;
  /** What is found. */
  finds: (patient: Patient) => string[];
  says: RegExp;
  linuxOnly?: true;
}

const listDamage = (says: RegExp, harm: (patient: Patient) => void) => ({
  harm,
  finds: () => ['list reftable/tables.list'],
  says,
});

const MENDED: Case[] = [
  {
    name: 'a list that is missing',
    ...listDamage(/The list of tables is not there.*must not run git gc/s, (patient) =>
      fs.unlinkSync(patient.file('tables.list')),
    ),
  },
  {
    name: 'a list that is empty',
    ...listDamage(/The list names no table/, (patient) => {
      patient.list = [];
    }),
  },
  {
    name: 'a list that is cut off',
    ...listDamage(/line \d+: expected a newline after the last name/, (patient) => {
      const { size } = fs.statSync(patient.file('tables.list'));
      fs.truncateSync(patient.file('tables.list'), size - 10);
    }),
  },
  {
    name: 'a list that names a table twice',
    ...listDamage(/expected each table once/, (patient) => {
      patient.list = [...patient.list, patient.list.at(-1)!];
    }),
  },
  {
    name: 'a list that names a foreign file, with control characters',
    ...listDamage(
      /expected the name of a table in this folder, found "\.\.\/config\\u001b/,
      (patient) => {
        patient.list = [...patient.list, '../config\x1b[2J'];
      },
    ),
  },
  {
    name: 'a lock whose owner is dead',
    harm: (patient) =>
      fs.writeFileSync(patient.file('tables.list.lock'), ownerLike({ started: 1 })),
    finds: () => ['lock reftable/tables.list.lock'],
    says: /The lock of the stack, left \d+\.\d s ago by process \d+ of host \S+, which is dead/,
    linuxOnly: true,
  },
  {
    name: 'the lock of a table whose owner is dead, and what it was writing',
    harm: (patient) => {
      fs.writeFileSync(`${patient.table(0)}.lock`, ownerLike({ started: 1 }));
      const temporary = patient.list[0]!.replace(/\.ref$/, '.temp.Ab3xYz');
      fs.writeFileSync(patient.file(temporary), 'REFT');
    },
    finds: (patient) => [
      `lock reftable/${patient.list[0]}.lock`,
      `leftover reftable/${patient.list[0]!.replace(/\.ref$/, '.temp.Ab3xYz')}`,
    ],
    says: /The lock of a table, left .*A temporary file of a writer/s,
    linuxOnly: true,
  },
  {
    name: 'a table that the stack has overtaken',
    harm: (patient) => fs.copyFileSync(patient.table(0), patient.file(STALE)),
    finds: () => [`unlisted-table reftable/${STALE}`],
    says: /No list names this table\..*the stack has all of its refs as new or newer/s,
  },
  {
    name: 'temporary files and the right to break a lock that is gone',
    harm: (patient) => {
      fs.writeFileSync(patient.file('tables.list.temp.000000'), 'x');
      fs.writeFileSync(patient.file('tables.list.lock.temp.123456'), 'x');
      const right = `tables.list.lock.${'ab'.repeat(16)}.break`;
      fs.writeFileSync(patient.file(right), ownerLike({ started: 1 }));
    },
    finds: () => [
      `lock reftable/tables.list.lock.${'ab'.repeat(16)}.break`,
      'leftover reftable/tables.list.lock.temp.123456',
      'leftover reftable/tables.list.temp.000000',
    ],
    says: /The right to remove the lock of a dead process/,
    linuxOnly: true,
  },
  {
    name: 'a repository without HEAD',
    harm: (patient) => fs.unlinkSync(join(patient.gitDir, 'HEAD')),
    finds: () => ['stub HEAD'],
    says: /The file is missing that marks a repository.*not a git repository/s,
  },
  {
    name: 'a HEAD of garbage',
    harm: (patient) => fs.writeFileSync(join(patient.gitDir, 'HEAD'), '\x1b[2J\0\0'),
    finds: () => ['stub HEAD'],
    says: /marks a repository says "\\u001b\[2J/,
  },
  {
    name: 'a HEAD that a program has written which does not know reftable',
    harm: (patient) => fs.writeFileSync(join(patient.gitDir, 'HEAD'), 'ref: refs/heads/old\n'),
    finds: () => ['stub HEAD'],
    says: /The file says "ref: refs\/heads\/old\\n"/,
  },
  {
    name: 'a repository without the folder refs',
    harm: (patient) => fs.rmSync(join(patient.gitDir, 'refs'), { recursive: true }),
    finds: () => ['stub refs/heads'],
    says: /not a git repository/,
  },
  {
    name: 'an empty folder refs/heads',
    harm: (patient) => {
      fs.rmSync(join(patient.gitDir, 'refs/heads'));
      fs.mkdirSync(join(patient.gitDir, 'refs/heads'));
    },
    finds: () => ['stub refs/heads'],
    says: /An empty folder stands in the place of a file/,
  },
  {
    name: 'several things at once',
    harm: (patient) => {
      fs.unlinkSync(join(patient.gitDir, 'HEAD'));
      fs.unlinkSync(patient.file('tables.list'));
      fs.writeFileSync(patient.file('tables.list.lock'), ownerLike({ started: 1 }));
      fs.writeFileSync(patient.file('tables.list.temp.000000'), 'x');
    },
    finds: () => [
      'stub HEAD',
      'list reftable/tables.list',
      'lock reftable/tables.list.lock',
      'leftover reftable/tables.list.temp.000000',
    ],
    says: /Found: 4 problems; --fix mends 3\./,
    linuxOnly: true,
  },
];

describeWithGit('what --fix mends', () => {
  it.for(MENDED)('$name', ({ harm, finds, says, linuxOnly }, { skip }) => {
    if (linuxOnly && process.platform !== 'linux') skip();
    const patient = new Patient();
    const expected = () => finds(patient);
    harm(patient);
    const before = contentOf(patient.path);

    const found = patient.doctor();
    expect(found).toMatchObject({ code: 1, stderr: '' });
    expect(found.stdout).toMatch(says);
    expect(found.stdout).toContain('--fix');
    expect(patient.findings()).toEqual(expected());
    expect(contentOf(patient.path)).toEqual(before);

    const fixed = patient.doctor('--fix');
    expect(fixed).toMatchObject({ code: 0, stderr: '' });
    expect(fixed.stdout).toMatch(/\nmended {2}.*\nAll is mended\.\n$/s);
    expectSound(patient);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(found.stdout + fixed.stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  });

  it('keeps a damaged list beside the new one, under a name that is free', () => {
    const patient = new Patient();
    const names = patient.list;
    patient.list = [...names, 'garbage'];
    fs.writeFileSync(patient.file('tables.list.damaged.1'), 'an older one');
    expect(patient.doctor('--fix').stdout).toContain('kept as tables.list.damaged.2');
    expect(patient.list).toEqual(names);
    expect(fs.readFileSync(patient.file('tables.list.damaged.1'), 'utf8')).toBe('an older one');
    const kept = fs.readFileSync(patient.file('tables.list.damaged.2'), 'utf8');
    expect(kept).toBe([...names, 'garbage', ''].join('\n'));
  });

  it('leaves files alone that are not of a stack', () => {
    const patient = new Patient();
    fs.writeFileSync(patient.file('notes\x1b[2J.txt'), 'mine');
    fs.writeFileSync(patient.file('tables.list.temp.000000'), 'x');
    const { code, stdout } = patient.doctor('--fix');
    expect(code).toBe(0);
    expect(stdout).toContain(
      'notice  reftable/notes\\x1b[2J.txt\n    Not a file of a reftable stack.',
    );
    expect(fs.readFileSync(patient.file('notes\x1b[2J.txt'), 'utf8')).toBe('mine');
  });
});

/** A table with some bytes of it changed. */
function overwrite(path: string, change: (bytes: Buffer) => Buffer | undefined): void {
  const bytes = fs.readFileSync(path);
  fs.chmodSync(path, 0o644);
  fs.writeFileSync(path, change(bytes) ?? bytes);
}

const LEFT: Case[] = [
  {
    name: 'a table that is missing',
    harm: (patient) => fs.unlinkSync(patient.table(1)),
    finds: (patient) => [`missing-table reftable/${patient.list[1]}`],
    says: /What was changed with update index \d+ is lost; only what newer tables tell of refs \(\d+ records\).*It is not taken out of the list/s,
  },
  {
    name: 'a table with a damaged block',
    harm: (patient) => overwrite(patient.table(1), (bytes) => void bytes.fill(0xff, 28, 30)),
    finds: (patient) => [`damaged-table reftable/${patient.list[1]}`],
    says: /At byte \d+: expected .*Of it 0 ref records and [1-9] log records? can still be read/s,
  },
  {
    name: 'a table that is cut off',
    harm: (patient) => overwrite(patient.table(-1), (bytes) => bytes.subarray(0, -7)),
    finds: (patient) => [`damaged-table reftable/${patient.list.at(-1)}`],
    says: /At byte \d+: expected a footer that begins with the header/,
  },
  {
    name: 'a table whose footer is damaged',
    harm: (patient) =>
      overwrite(patient.table(-1), (bytes) => void bytes.writeUInt32BE(0, bytes.length - 4)),
    finds: (patient) => [`damaged-table reftable/${patient.list.at(-1)}`],
    says: /expected the CRC-32 .*Nothing of it can be read/s,
  },
  {
    name: 'a table of another object format',
    harm: (patient) => {
      const other = join(temporaryFolder(), 'other');
      git.output(['init', '-q', '--ref-format=reftable', '--object-format=sha256', other]);
      const [table] = fs
        .readdirSync(join(other, '.git/reftable'))
        .filter((name) => name.endsWith('.ref'));
      fs.rmSync(patient.table(0));
      fs.copyFileSync(join(other, '.git/reftable', table!), patient.table(0));
    },
    finds: (patient) => [`damaged-table reftable/${patient.list[0]}`],
    says: /expected object ids of the repository's format, sha1, found sha256/,
  },
  {
    name: 'a folder in the place of a table',
    harm: (patient) => {
      const table = patient.table(0);
      fs.rmSync(table);
      fs.mkdirSync(table);
    },
    finds: (patient) => [`damaged-table reftable/${patient.list[0]}`],
    says: /Is a directory/,
  },
  {
    name: 'a list that runs backwards',
    harm: (patient) => {
      patient.list = patient.list.toReversed();
    },
    finds: (patient) => patient.list.slice(1).map((name) => `update-indexes reftable/${name}`),
    says: /It has update index \d+, which does not come after that of/,
  },
  {
    name: 'a list that is missing, and a table, too',
    harm: (patient) => {
      fs.unlinkSync(patient.table(1));
      fs.unlinkSync(patient.file('tables.list'));
    },
    finds: () => ['list reftable/tables.list'],
    says: /It cannot be told from the tables: no table has update index 2/,
  },
  {
    name: 'a list that is missing, and tables that overlap',
    harm: (patient) => {
      fs.copyFileSync(patient.table(0), patient.file(STALE));
      fs.unlinkSync(patient.file('tables.list'));
    },
    finds: () => ['list reftable/tables.list'],
    says: /has update indexes that an older table has, too/,
  },
  {
    name: 'a damaged list that names a missing table',
    harm: (patient) => {
      fs.unlinkSync(patient.table(-1));
      fs.appendFileSync(patient.file('tables.list'), 'garbage\n');
    },
    finds: () => ['list reftable/tables.list'],
    says: /the list names 0x[^ ]*, which is not there/,
  },
  {
    name: 'a list that cannot be read',
    harm: (patient) => {
      fs.unlinkSync(patient.file('tables.list'));
      fs.mkdirSync(patient.file('tables.list'));
    },
    finds: () => ['list reftable/tables.list'],
    says: /Is a directory/,
  },
  {
    name: 'a table of a list that was newer',
    harm: (patient) => {
      patient.list = patient.list.slice(0, -1);
    },
    finds: (patient) => {
      const listed = ['tables.list', ...patient.list];
      const [table] = fs.readdirSync(patient.folder).filter((name) => !listed.includes(name));
      return [`unlisted-table reftable/${table}`];
    },
    says: /beyond the last one of the stack, \d+: a newer list may have named it/,
  },
  {
    name: 'a stack that Git has begun anew beside old tables, whose update indexes it has passed',
    harm: (patient) => {
      const oid = git.output(['rev-parse', 'HEAD'], { cwd: patient.path }).trim();
      patient.list = patient.list.slice(0, 1);
      const env = { GIT_TEST_REFTABLE_AUTOCOMPACTION: 'false' };
      for (let i = 0; i < 9; i++) {
        git.output(['update-ref', `refs/new/${i}`, oid], { cwd: patient.path, env });
      }
      fs.writeFileSync(patient.file('tables.list.temp.000000'), 'x');
    },
    finds: (patient) => {
      const listed = ['tables.list', 'tables.list.temp.000000', ...patient.list];
      const unlisted = fs.readdirSync(patient.folder).filter((name) => !listed.includes(name));
      const { findings } = JSON.parse(patient.doctor('--json').stdout);
      const kept = findings.filter(({ mending }: { mending: string }) => mending === 'none');
      expect(kept.length).toBeGreaterThan(1);
      return [
        ...unlisted.sort().map((name) => `unlisted-table reftable/${name}`),
        'leftover reftable/tables.list.temp.000000',
      ];
    },
    says: /The stack knows nothing as new of .*refs\/tags\/v1/s,
  },
  {
    name: 'a folder in the place of a lock',
    harm: (patient) => fs.mkdirSync(patient.file('tables.list.lock')),
    finds: () => ['lock reftable/tables.list.lock'],
    says: /A folder stands in the place of a lock file/,
  },
  {
    name: 'branches that a program has made which does not know reftable',
    harm: (patient) => {
      fs.rmSync(join(patient.gitDir, 'refs/heads'));
      fs.mkdirSync(join(patient.gitDir, 'refs/heads'));
      fs.writeFileSync(join(patient.gitDir, 'refs/heads/old'), `${'1'.repeat(40)}\n`);
    },
    finds: () => ['stub refs/heads'],
    says: /A folder with files in it.*Git does not see them/s,
  },
];

describeWithGit('what nobody can mend', () => {
  it.for(LEFT)('$name', ({ harm, finds, says }) => {
    const patient = new Patient();
    harm(patient);
    const before = contentOf(patient.path);
    const found = patient.doctor();
    expect(found).toMatchObject({ code: 1, stderr: '' });
    expect(found.stdout).toMatch(says);
    expect(patient.findings()).toEqual(finds(patient));
    expect(patient.doctor('--fix', '--force-unlock').code).toBe(1);
    expect(patient.findings()).toEqual(finds(patient));
    const after = contentOf(patient.path);
    // Times may tell that the lock was taken.
    const bytes = (content: Record<string, string>) =>
      Object.entries(content).map(([path, text]) => [path, text.split(' ').slice(2).join(' ')]);
    expect(bytes(after)).toEqual(bytes(before));
  });
});

describeWithGit('locks of owners that are not proven dead', () => {
  const lockFile = 'tables.list.lock';

  it.for([
    ['of Git', '', /that does not say whose it is, as those of Git/],
    [
      'of another host',
      ownerLike({}, { host: 'elsewhere' }),
      /of host elsewhere, which was not started/,
    ],
    ['half written', 'reftable lock 1\npid 1\n', /does not say whose it is/],
  ] as const)('%s: only --force-unlock removes it', ([, content, says]) => {
    const patient = new Patient();
    fs.writeFileSync(patient.file(lockFile), content);
    expect(patient.doctor('--fix')).toMatchObject({ code: 1, stdout: expect.stringMatching(says) });
    expect(fs.readFileSync(patient.file(lockFile))).toEqual(Buffer.from(content));
    const forced = patient.doctor('--force-unlock');
    expect(forced).toMatchObject({ code: 0, stdout: expect.stringMatching(/as you decided/) });
    expectSound(patient);
  });

  it('of Git, with a note of a process that is gone: the note goes, too', () => {
    const patient = new Patient();
    fs.writeFileSync(patient.file(lockFile), '');
    const { pid } = spawnSync(process.execPath, ['--version']);
    fs.writeFileSync(patient.file('tables.list~pid.lock'), `pid ${pid}\n`);
    expect(patient.doctor().stdout).toContain(`of process ${pid}, which does not run here`);
    expect(patient.doctor('--force-unlock').code).toBe(0);
    expectSound(patient);
  });

  it.runIf(process.platform === 'linux').for([
    ['of ours', ownerLike({}), undefined],
    ['of Git, with a note', '', `pid ${process.pid}\n`],
  ] as const)('%s, alive: nothing removes it, and nothing is wrong', ([, content, note]) => {
    const patient = new Patient();
    fs.writeFileSync(patient.file(lockFile), content);
    if (note !== undefined) fs.writeFileSync(patient.file('tables.list~pid.lock'), note);
    const { code, stdout } = patient.doctor('--fix', '--force-unlock');
    expect(stdout).toMatch(
      /notice {2}reftable\/tables\.list\.lock\n {4}The lock of the stack, held for/,
    );
    expect(code).toBe(0);
    expect(fs.existsSync(patient.file(lockFile))).toBe(true);
  });

  it('stops --fix from what needs the lock', () => {
    const patient = new Patient();
    fs.unlinkSync(patient.file('tables.list'));
    fs.writeFileSync(patient.file(lockFile), '');
    const before = contentOf(patient.folder);
    const { code, stdout } = patient.doctor('--fix');
    expect(code).toBe(1);
    expect(stdout).toMatch(/failed {2}reftable\/tables\.list\n {4}Unable to create .*File exists/s);
    expect(Object.keys(contentOf(patient.folder))).toEqual(Object.keys(before));
    expect(patient.doctor('--fix', '--force-unlock').code).toBe(0);
    expectSound(patient);
  });
});

describeWithGit('beside others', () => {
  it('reports no false damage while others write and compact', async () => {
    const patient = new Patient();
    const oid = git.output(['rev-parse', 'HEAD'], { cwd: patient.path }).trim();
    const script = bundledScript(`
      import { openRefStore } from './src/index.ts';
      const store = openRefStore(process.argv[2], { fsync: false, lockTimeout: -1 });
      for (let i = 0; ; i++) {
        await store.transaction([{ type: 'update', ref: 'refs/busy/' + (i % 50), newOid: process.argv[3] }]);
        if (i === 20) console.log('started');
      }
    `);
    const writers = [1, 2].map(() =>
      spawn(process.execPath, [script, patient.gitDir, oid], {
        env: ENVIRONMENT as NodeJS.ProcessEnv,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    try {
      await Promise.all(writers.map((writer) => once(writer.stdout!, 'data')));
      for (let i = 0; i < 8; i++) expect(patient.findings()).toEqual([]);
      for (const { exitCode } of writers) expect(exitCode).toBeNull();
    } finally {
      for (const writer of writers) writer.kill('SIGKILL');
      await Promise.all(writers.map((writer) => writer.exitCode ?? once(writer, 'exit')));
    }
    // They died where they stood.
    expect(patient.doctor('--fix').code).toBe(0);
    expect(git.run(['refs', 'verify'], { cwd: patient.path })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('works on a folder that it must not write, and says what it cannot mend', ({ skip }) => {
    if (process.getuid?.() !== 0) skip();
    const patient = new Patient();
    fs.writeFileSync(patient.file('tables.list.temp.000000'), 'x');
    for (
      let folder = patient.path;
      folder.includes('reftable-test-');
      folder = join(folder, '..')
    ) {
      fs.chmodSync(folder, 0o755);
    }
    const [node, script] = commandLine();
    const readable = join(temporaryFolder(), 'cli.cjs');
    fs.copyFileSync(script, readable);
    fs.chmodSync(join(readable, '..'), 0o755);
    const asOther = (...args: string[]) =>
      spawnSync(node, [readable, 'doctor', ...args, patient.path], {
        uid: OTHER_USER,
        env: ENVIRONMENT as NodeJS.ProcessEnv,
        encoding: 'utf8',
      });
    expect(asOther()).toMatchObject({ status: 1, stderr: '' });
    const { status, stdout } = asOther('--fix');
    expect(status).toBe(1);
    expect(stdout).toMatch(/failed {2}reftable\n {4}Unable to create .*: Permission denied/s);
    expect(fs.existsSync(patient.file('tables.list.temp.000000'))).toBe(true);

    fs.writeFileSync(patient.file('tables.list.lock'), '', { mode: 0o600 });
    expect(asOther().stdout).toContain('that cannot be read: Permission denied');
    expect(asOther('--force-unlock').stdout).toMatch(/failed {2}reftable\/tables\.list\.lock/);
  });
});

describeWithGit('what it is called on', () => {
  const said = (path: string, ...args: string[]) => reftable(['doctor', ...args, path]);

  it('finds a repository from within, by its folder, and by its stack', () => {
    const patient = new Patient();
    fs.unlinkSync(join(patient.gitDir, 'HEAD'));
    const inner = join(patient.path, 'inner');
    fs.mkdirSync(inner);
    for (const path of [patient.path, inner, patient.gitDir, patient.folder]) {
      expect(said(path).stdout).toMatch(/obstacle {2}HEAD\n/);
    }
  });

  it('refuses what is no reftable repository', () => {
    const folder = temporaryFolder();
    const none = said(folder);
    expect(none).toMatchObject({ code: 128, stdout: '' });
    expect(none.stderr).toMatch(/^fatal: not a git repository/);
    git.output(['init', '-q', '--ref-format=files', folder]);
    const files = said(folder);
    expect(files.code).toBe(128);
    expect(files.stderr).toContain("expected a repository with the ref storage 'reftable'");
    expect(said(folder, 'second').code).toBe(129);
    const typo = said(join(new Patient().path, 'typo'));
    expect(typo).toMatchObject({ code: 128, stdout: '' });
    expect(typo.stderr).toMatch(/No such file or directory/);
  });

  it('says when the folder of the stack is gone', () => {
    const patient = new Patient();
    fs.rmSync(patient.folder, { recursive: true });
    const { code, stderr } = said(patient.path, '--fix');
    expect(code).toBe(128);
    expect(stderr).toMatch(/reftable: the folder is missing, and all refs and reflogs with it/);
    expect(fs.existsSync(patient.folder)).toBe(false);
  });
});
