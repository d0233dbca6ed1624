// `reftable init`: makes a repository that Git opens.

import { basename, resolve } from 'node:path';
import type { ObjectFormat } from '../../format/object-format.ts';
import { initRepository, type RefStorage } from '../../repository/init.ts';
import { parseArguments } from '../arguments.ts';
import { die, UsageError } from '../failure.ts';
import { stdout, warn } from '../output.ts';

export const help = `usage: reftable init [-q | --quiet] [--bare] [--object-format=<format>] [--ref-format=<format>]
                     [--shared[=<permissions>]]
                     [-b <branch-name> | --initial-branch=<branch-name>] [<directory>]

    --bare                a repository without a work tree
    -b, --initial-branch <name>
                          the first branch; default init.defaultBranch, else master
    --object-format <format>
                          sha1 (the default) or sha256
    --ref-format <format> reftable or files; default GIT_DEFAULT_REF_FORMAT, else init.defaultRefFormat,
                          else reftable
    --shared[=<permissions>]
                          for others than the owner too: umask, group (the default), all, or 0xxx
    -q, --quiet           print nothing
`;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    bare: {},
    'initial-branch': { short: 'b', takes: 'text' },
    'object-format': { takes: 'text' },
    'ref-format': { takes: 'text' },
    quiet: { short: 'q' },
    shared: { takes: 'optional text' },
  });
  const [directory = '.'] = operands;
  if (operands.length > 1) throw new UsageError();
  const objectFormat = parseObjectFormat(options['object-format']);
  const refFormat = parseRefFormat(options['ref-format']);

  const given = options.bare === true ? undefined : process.env.GIT_DIR;
  const gitDir = given === undefined ? undefined : resolve(directory, given);
  const result = await initRepository(directory, {
    // A repository that is named, and not as one with a work tree is, has none.
    bare: options.bare === true || (gitDir !== undefined && basename(gitDir) !== '.git'),
    gitDir,
    initialBranch: options['initial-branch'],
    objectFormat,
    refFormat,
    shared: options.shared,
  });
  const branch = options['initial-branch'];
  if (result.reinitialized && branch !== undefined) {
    warn(`re-init: ignored --initial-branch=${branch}`);
  }
  if (options.quiet !== true) {
    const what = result.reinitialized ? 'Reinitialized existing' : 'Initialized empty';
    stdout.write(`${what}${result.shared ? ' shared' : ''} Git repository in ${result.gitDir}/\n`);
  }
  return 0;
}

function parseObjectFormat(name: string | undefined): ObjectFormat | undefined {
  if (name === undefined || name === 'sha1' || name === 'sha256') return name;
  return die(`unknown hash algorithm '${name}'`);
}

function parseRefFormat(name: string | undefined): RefStorage | undefined {
  if (name === undefined || name === 'files' || name === 'reftable') return name;
  return die(`unknown ref storage format '${name}'`);
}
