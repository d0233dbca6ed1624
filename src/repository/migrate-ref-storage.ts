// Moving a repository's refs to the other ref storage. What does it is imported when it is called for, since nearly
// nobody who opens a repository migrates it.

export interface MigrateOptions {
  /** The ref storage to go to. */
  to: 'files' | 'reftable';
  /** Write the new refs into a folder beside the old ones, and change nothing else. Default false. */
  dryRun?: boolean | undefined;
  /** Whether reflogs are taken along. Default true. */
  reflogs?: boolean | undefined;
  /** Told now and then how many refs, and how many log entries, were written. */
  onProgress?: ((refs: number, entries: number) => void) | undefined;
  /** The variables that Git would look at. Default: the process's. */
  env?: Record<string, string | undefined> | undefined;
}

export interface MigrateResult {
  /** Where the new refs are, after a dry run; or the old ones that somebody changed while they were replaced. */
  folder: string | undefined;
}

/**
 * Moves the refs, and the reflogs, of the repository at `gitDir` to another ref storage. Whoever opens it meanwhile
 * finds all refs, in the one or the other; so does who opens it after this process was killed.
 *
 * Rejects with `INVALID_ARGUMENT` where that is the ref storage already; `UNSUPPORTED_REPOSITORY` where there are
 * linked worktrees; `LOCKED` where somebody else changes refs or the configuration; `IO`, and what opening and reading
 * the repository throws. After a rejection the repository is as it was.
 */
export async function migrateRefStorage(
  gitDir: string,
  options: MigrateOptions,
): Promise<MigrateResult> {
  const { migrate } = await import('./migration/migration.ts');
  return migrate(gitDir, options);
}
