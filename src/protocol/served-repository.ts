// A repository that is served: found at the path that a client names, its refs opened, and what its configuration
// says about serving them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RefError } from '../errors.ts';
import { isOid } from '../format/object-format.ts';
import { openBackend } from '../repository/backend.ts';
import { badSetting, type Config } from '../repository/config.ts';
import { readConfig } from '../repository/config-layers.ts';
import { type RepositoryDirs, repositoryAt } from '../repository/git-dir.ts';
import { expandHome } from '../repository/home.ts';
import { type ServedRefs, servedRefs, type UnbornPolicy } from './served-refs.ts';

type Environment = Record<string, string | undefined>;

export interface ServedRepository extends ServedRefs, Disposable {
  readonly gitDir: string;
  readonly env: Environment;
  /** `transfer.advertiseSID`. */
  readonly advertisesSession: boolean;
  /** The commits at which the history is cut off, in order. */
  readonly shallow: readonly string[];
}

/** What is tried behind a path, in this order. */
const SUFFIXES = ['/.git', '', '.git/.git', '.git'] as const;

/**
 * The repository at a path as `git upload-pack` finds it: unless `strict`, also `path/.git`, `path.git`, and in a
 * user's home folder. `at` is the one of these that it is. Throws `NOT_A_REPOSITORY`, in Git's words.
 */
export function enterRepository(
  path: string,
  { env, strict = false }: { env: Environment; strict?: boolean },
): RepositoryDirs & { at: string } {
  const base = strict ? path : expandHome(path.replace(/(?<=.)\/+$/, ''), env);
  for (const suffix of strict ? [''] : SUFFIXES) {
    const candidate = `${base}${suffix}`;
    if (base === undefined || !existsSync(candidate)) continue;
    const found = repositoryAt(candidate, '.', env);
    if (found !== undefined) return { ...found, at: candidate };
  }
  const message = `'${path}' does not appear to be a git repository`;
  throw new RefError('NOT_A_REPOSITORY', message, { file: path });
}

/** Opens its refs; the caller disposes of it. Throws as `openRefStore` does, and `BAD_NAME` for `GIT_NAMESPACE`. */
export function serveRepository(dirs: RepositoryDirs, env: Environment): ServedRepository {
  const { gitDir, commonDir } = dirs;
  const config = readConfig(gitDir, { env, commonDir, shownAs: '.' });
  const store = openBackend(gitDir, { env, config, commonDir });
  try {
    const refs = servedRefs(store, {
      namespace: env.GIT_NAMESPACE,
      hideRefs: hideRules(config),
      unborn: unbornPolicy(config),
    });
    return {
      ...refs,
      gitDir,
      env,
      advertisesSession: config.getBoolean('transfer.advertiseSID') === true,
      shallow: shallowCommits(env.GIT_SHALLOW_FILE ?? join(commonDir, 'shallow'), refs),
      [Symbol.dispose]: () => store.close(),
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

function hideRules(config: Config): string[] {
  const rules: string[] = [];
  for (const entry of config.entries) {
    if (entry.key !== 'transfer.hiderefs' && entry.key !== 'uploadpack.hiderefs') continue;
    if (entry.value === null) throw badSetting(entry, `missing value for '${entry.key}'`);
    rules.push(entry.value);
  }
  return rules;
}

function unbornPolicy(config: Config): UnbornPolicy {
  const value = config.get('lsrefs.unborn') ?? 'advertise';
  if (value === 'advertise' || value === 'allow' || value === 'ignore') return value;
  throw new RefError('INVALID_CONFIG', `invalid value for 'lsrefs.unborn': '${value}'`);
}

function shallowCommits(file: string, { objectFormat }: ServedRefs): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'latin1');
  } catch {
    return [];
  }
  const commits = text.split('\n').slice(0, -1);
  const bad = commits.find((commit) => !isOid(commit, objectFormat));
  if (bad !== undefined) throw new RefError('IO', `bad shallow line: ${bad}`, { file });
  return commits.sort();
}
