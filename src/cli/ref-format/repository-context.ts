// What fields ask of the repository: its configuration, its worktrees, and names beside each other.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { RefReader, RefStore } from '../../refs/ref-store.ts';
import { resolveRef } from '../../refs/resolve.ts';
import type { Config } from '../../repository/config.ts';
import type { GitDirs } from '../../repository/discover.ts';
import { fromByteText, toByteText } from '../byte-text.ts';
import type { History } from '../history.ts';
import { writeError } from '../output.ts';
import { findRefs, shortenRefName } from '../ref-names.ts';
import { resolveOid } from '../revisions/resolve-oid.ts';
import type { FieldContext } from './field-context.ts';
import { Tracking } from './tracking.ts';

export interface RepositoryContextOptions {
  store: RefStore;
  refs: RefReader;
  config: Config;
  dirs: GitDirs;
  usesColor: boolean;
  history: History;
  abbreviate: FieldContext['abbreviate'];
}

export function repositoryContext(options: RepositoryContextOptions): FieldContext {
  const { store, refs, config, dirs, usesColor, history, abbreviate } = options;
  const names = existingNames(refs);
  const strict = config.getBoolean('core.warnAmbiguousRefs') ?? true;
  let tracking: Tracking | undefined;
  let worktrees: Map<string, string> | undefined;
  return {
    usesColor,
    abbreviate,
    shorten: (name) => toByteText(shortenRefName(names, fromByteText(name), { strict })),
    headName() {
      const head = refs.resolve('HEAD');
      return head && toByteText(head.name);
    },
    worktreePath(name) {
      worktrees ??= worktreesByBranch(refs, dirs);
      return worktrees.get(name) ?? '';
    },
    tracking() {
      tracking ??= new Tracking(config, (name) => fullName(refs, name));
      return tracking;
    },
    resolve: (name) => refs.resolve(name)?.oid,
    async commitNamed(name) {
      const oid = await resolveOid(store, fromByteText(name));
      return oid === undefined ? undefined : history.commitOf(oid);
    },
    async distance(oid, base) {
      const peeled = await history.peel(oid);
      if (peeled !== undefined && peeled.type !== 'commit') {
        writeError(`error: object ${oid} is a ${peeled.type}, not a commit\n`);
      }
      return history.distance(oid, base);
    },
  };
}

/** Answers for names in folders without any ref at the cost of one look for the folder. */
function existingNames(refs: RefReader): Pick<RefReader, 'resolve'> {
  const known = new Map<string, boolean>();
  const hasRefs = (folder: string) => {
    let has = known.get(folder);
    if (has === undefined) {
      has = refs.refs({ prefix: folder, includeRoot: true }).next().done !== true;
      known.set(folder, has);
    }
    return has;
  };
  return {
    resolve(name) {
      // From the top down: that there is nothing in one folder tells of all folders in it.
      for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
        if (!hasRefs(name.slice(0, slash + 1))) return undefined;
      }
      return refs.resolve(name);
    },
  };
}

/** What a branch of this repository that another follows is called in full. */
function fullName(refs: RefReader, name: string): string {
  const [found, ...others] = findRefs(refs, name);
  return found === undefined || others.length > 0 ? name : found.name;
}

/** The root of the worktree that has each branch checked out; names and paths are byte text. */
function worktreesByBranch(refs: RefReader, { gitDir, commonDir }: GitDirs): Map<string, string> {
  const paths = new Map<string, string>();
  const add = (head: string, path: string) => {
    const branch = endOfSymrefs(refs, head);
    // Of several worktrees with one branch Git finds the last that it has read.
    if (branch !== undefined) paths.set(toByteText(branch), toByteText(path));
  };
  const mainHead = gitDir === commonDir ? 'HEAD' : 'main-worktree/HEAD';
  add(mainHead, basename(commonDir) === '.git' ? dirname(commonDir) : commonDir);
  for (const id of linkedWorktrees(commonDir)) {
    const folder = join(commonDir, 'worktrees', id);
    const gitFile = readLine(join(folder, 'gitdir'));
    if (gitFile === undefined) continue;
    // With `worktree.useRelativePaths` it is told from there.
    add(`worktrees/${id}/HEAD`, resolve(folder, gitFile.replace(/\/\.git$/, '')));
  }
  return paths;
}

function linkedWorktrees(commonDir: string): string[] {
  try {
    return readdirSync(join(commonDir, 'worktrees'));
  } catch {
    return [];
  }
}

function readLine(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/[ \t\r\n]+$/, '');
  } catch {
    return undefined;
  }
}

/** The last name in a row of symrefs, whether there is such a ref or not; `undefined` for what is no symref. */
function endOfSymrefs(refs: RefReader, name: string): string | undefined {
  let last: string | undefined;
  resolveRef(name, (at) => {
    const ref = refs.read(at);
    last = ref?.target ?? last;
    return ref;
  });
  return last;
}
