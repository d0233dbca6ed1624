// Which folders are reftable repositories. Each is looked at once, and again when its configuration has changed: that
// says in which format the refs are, and `git refs migrate` may change it at any time.

import { statSync } from 'node:fs';
import { parseConfig } from '../repository/config.ts';
import { linkedCommonDir } from '../repository/git-dir.ts';
import { repositoryFormat } from '../repository/repository-format.ts';
import { HeldRefs } from './held-refs.ts';
import { type OpenOptions, openAsyncStore, openDirectoryStore } from './open-store.ts';
import type { PromiseFs } from './promise-fs.ts';
import { ReftableRepository } from './reftable-repository.ts';

interface Known {
  /** The folder that holds the configuration: another one for a linked worktree. */
  readonly commonDir: string;
  /** What tells one version of the configuration from another; `undefined` where there is none. */
  readonly version: string | undefined;
  readonly held: HeldRefs;
  /** `undefined` for a folder that is no reftable repository. */
  readonly repository: Promise<ReftableRepository | undefined>;
}

const NONE = Promise.resolve(undefined);

export class Repositories {
  readonly #fs: PromiseFs;
  /** Whether it is the machine's own file system, which can be read at once. */
  readonly #isNode: boolean;
  readonly #options: OpenOptions;
  readonly #known = new Map<string, Known>();

  constructor(fs: PromiseFs, isNode: boolean, options: OpenOptions) {
    this.#fs = fs;
    this.#isNode = isNode;
    this.#options = options;
  }

  /** What a folder was found to be when it was last looked at; `undefined` for what it was not. */
  known(gitDir: string): Promise<ReftableRepository | undefined> | undefined {
    return this.#known.get(gitDir)?.repository;
  }

  /**
   * The reftable repository at a folder. Throws `UNSUPPORTED_REPOSITORY` for a repository with an unknown format or
   * extension, `INVALID_CONFIG`, and what reading the store throws.
   */
  async find(gitDir: string): Promise<ReftableRepository | undefined> {
    let known = this.#known.get(gitDir);
    const isThere = known?.version !== undefined;
    const commonDir = isThere ? known!.commonDir : this.#commonDirOf(gitDir);
    const version = this.#isNode ? versionNow(commonDir) : await this.#version(commonDir);
    if (known === undefined || known.version !== version) {
      void closed(known?.repository);
      const held = known?.held ?? new HeldRefs();
      const repository = version === undefined ? NONE : this.#open(gitDir, commonDir, held);
      const opened = { commonDir, version, held, repository };
      known = opened;
      this.#known.set(gitDir, opened);
      // What could not be opened is tried again the next time.
      repository.catch(() => {
        if (this.#known.get(gitDir) === opened) this.#known.delete(gitDir);
      });
    }
    return known.repository;
  }

  async close(): Promise<void> {
    const all = [...this.#known.values()];
    this.#known.clear();
    for (const { repository } of all) await closed(repository);
  }

  async #open(
    gitDir: string,
    commonDir: string,
    held: HeldRefs,
  ): Promise<ReftableRepository | undefined> {
    // Any folder may have a file named config.
    const objects = await this.#fs.stat(`${commonDir}/objects`).catch(() => undefined);
    if (objects?.isDirectory() !== true) return undefined;
    const file = `${commonDir}/config`;
    const config = parseConfig(String(await this.#fs.readFile(file, 'utf8')), file);
    if (repositoryFormat(config).refStorage !== 'reftable') return undefined;
    const open = this.#isNode
      ? openDirectoryStore(gitDir, commonDir, this.#options)
      : openAsyncStore(gitDir, this.#fs, config, this.#options);
    return ReftableRepository.open(open, held);
  }

  #commonDirOf(gitDir: string): string {
    return (this.#isNode && linkedCommonDir(gitDir)) || gitDir;
  }

  async #version(folder: string): Promise<string | undefined> {
    const stats = await this.#fs.stat(`${folder}/config`).catch(() => undefined);
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
  }
}

function versionNow(folder: string): string | undefined {
  try {
    const stats = statSync(`${folder}/config`, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
  } catch {
    return undefined;
  }
}

async function closed(repository: Promise<ReftableRepository | undefined> | undefined) {
  await (await repository?.catch(() => undefined))?.close();
}
