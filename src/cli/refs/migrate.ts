// `reftable refs migrate`: moves the refs to another ref storage.

import { monotonicNow } from '../../clock.ts';
import { RefError } from '../../errors.ts';
import { migrateRefStorage } from '../../repository/migrate-ref-storage.ts';
import { parseArguments } from '../arguments.ts';
import { fail, misuse } from '../failure.ts';
import { stdout, warn, writeError } from '../output.ts';
import { findRepository } from '../repository.ts';

export const help = `usage: reftable refs migrate --ref-format=<format> [--no-reflog] [--dry-run]

    --ref-format=<format> files or reftable
    --dry-run             write the new refs beside the old ones, and change nothing else
    --no-reflog           leave the reflogs out
`;

/** Git hands on what its `error` gives, -1. */
const EXIT_CODE = 255;
/** The time between two lines of progress, ms. */
const PROGRESS_INTERVAL = 250;

export async function run(args: readonly string[]): Promise<number> {
  const { options, operands } = parseArguments(args, {
    'ref-format': { takes: 'text' },
    'dry-run': {},
    'no-reflog': {},
  });
  if (operands.length > 0) misuse('too many arguments');
  const to = options['ref-format'];
  if (to === undefined) misuse('missing --ref-format=<format>');
  const { dirs } = findRepository();
  if (to !== 'files' && to !== 'reftable') fail(`unknown ref storage format '${to}'`, EXIT_CODE);
  const dryRun = options['dry-run'] === true;
  const reflogs = options['no-reflog'] !== true;
  try {
    const { folder } = await migrateRefStorage(dirs.gitDir, {
      ...{ to, dryRun, reflogs },
      onProgress: process.stderr.isTTY ? progress() : undefined,
    });
    if (dryRun) {
      stdout.write(`Finished dry-run migration of refs, the result can be found at '${folder}'\n`);
    } else if (folder !== undefined) {
      warn(`refs were changed while they were migrated; what they were is in '${folder}'`);
    }
    return 0;
  } catch (error) {
    if (error instanceof RefError) fail(error.message, EXIT_CODE);
    throw error;
  }
}

function progress(): (refs: number, entries: number) => void {
  let last = monotonicNow();
  return (refs, entries) => {
    if (monotonicNow() - last < PROGRESS_INTERVAL) return;
    last = monotonicNow();
    writeError(`Migrating refs: ${refs}, log entries: ${entries}\n`);
  };
}
