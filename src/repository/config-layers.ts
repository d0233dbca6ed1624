// A repository's configuration in its layers, the later winning over the earlier:
// the system's file, the user's files, the repository's, the worktree's, and the environment.

import { join } from 'node:path';
import { Config, type ConfigEntry, type ConfigScope } from './config.ts';
import { commandSettings, environmentBoolean } from './config-environment.ts';
import { type ConfigFile, ConfigReader, isRemoteUrl } from './config-includes.ts';
import { currentBranch } from './current-branch.ts';
import { repositoryFormat } from './repository-format.ts';

export interface ReadConfigOptions {
  /**
   * Where the layers outside the repository are looked for, and settings given by variables:
   * `GIT_CONFIG_*`, `HOME`, `XDG_CONFIG_HOME`.
   */
  env: Record<string, string | undefined>;
  /** The folder that holds `config`, where it is not `gitDir` (in a linked worktree). */
  commonDir?: string | undefined;
  /** How messages name `gitDir`: Git does as it came to it. Default: as it is given. */
  shownAs?: string | undefined;
}

/**
 * Reads the configuration that holds in a repository, included files included. Each file costs one open, also
 * if it is missing, and no stat of its own; the stack is read only where a condition is about the branch.
 *
 * Throws `INVALID_CONFIG` where a file or a variable cannot be read as settings, and `IO` where a file
 * cannot be read at all.
 */
export function readConfig(gitDir: string, options: ReadConfigOptions): Config {
  const { env, commonDir = gitDir, shownAs = gitDir } = options;
  const files = new Map<string, ConfigEntry[]>();
  let branch: { name: string | undefined } | undefined;
  let urls: string[] | undefined;
  const newReader = (onlyForUrls: boolean): ConfigReader => {
    const reader = new ConfigReader(
      {
        env,
        gitDir,
        currentBranch: () => {
          if (branch === undefined) {
            const { objectFormat } = repositoryFormat(ownSettings(reader));
            branch = { name: currentBranch({ gitDir, commonDir }, objectFormat) };
          }
          return branch.name;
        },
        remoteUrls: () => {
          urls ??= urlsIn(readLayers(newReader(true)));
          return urls;
        },
      },
      files,
      { onlyForUrls },
    );
    return reader;
  };
  const local = fileIn(commonDir, commonDir === gitDir ? shownAs : commonDir, 'config');
  /** The repository's own settings, which tell its format, also before it is their turn. */
  const ownSettings = (reader: ConfigReader) => new Config(reader.entriesOf(local, 'local'));

  const readLayers = (reader: ConfigReader): readonly ConfigEntry[] => {
    for (const [file, scope] of filesOutside(env))
      reader.read({ path: file, shownAs: file }, scope);
    reader.read(local, 'local');
    if (ownSettings(reader).getBoolean('extensions.worktreeConfig')) {
      reader.read(fileIn(gitDir, shownAs, 'config.worktree'), 'worktree');
    }
    reader.add(commandSettings(env));
    return reader.entries;
  };
  return new Config(readLayers(newReader(false)));
}

function urlsIn(entries: readonly ConfigEntry[]): string[] {
  return entries.flatMap(({ key, value }) => (isRemoteUrl(key) && value !== null ? [value] : []));
}

function fileIn(folder: string, shownAs: string, name: string): ConfigFile {
  // As Git cleans a path.
  return { path: join(folder, name), shownAs: shownAs === '.' ? name : `${shownAs}/${name}` };
}

/** The files outside the repository. */
function filesOutside(env: ReadConfigOptions['env']): [string, ConfigScope][] {
  const files: [string, ConfigScope][] = globalFiles(env).map((file) => [file, 'global']);
  if (!environmentBoolean(env, 'GIT_CONFIG_NOSYSTEM')) {
    files.unshift([env.GIT_CONFIG_SYSTEM ?? '/etc/gitconfig', 'system']);
  }
  return files;
}

function globalFiles(env: ReadConfigOptions['env']): string[] {
  if (env.GIT_CONFIG_GLOBAL !== undefined) return [env.GIT_CONFIG_GLOBAL];
  const { HOME: home, XDG_CONFIG_HOME: xdgHome } = env;
  const files: string[] = [];
  if (xdgHome) files.push(join(xdgHome, 'git', 'config'));
  else if (home !== undefined) files.push(join(home, '.config', 'git', 'config'));
  if (home !== undefined) files.push(join(home, '.gitconfig'));
  return files;
}
