// Which worktree a ref name belongs to. All worktrees of a repository share most refs; a few each has for itself:
// `HEAD` and whatever else is written in capitals, `refs/bisect/`, `refs/rewritten/` and `refs/worktree/`.
// Another worktree's are reached as `main-worktree/NAME` and `worktrees/ID/NAME`.

/** Where a ref is, and what it is called there. */
export type WorktreeRef =
  | {
      /** What all share; the worktree that one is in; the main one. */
      worktree: 'shared' | 'current' | 'main';
      name: string;
    }
  | {
      worktree: 'linked';
      /** The linked worktree's folder in `worktrees/`. */
      id: string;
      /** Empty where the name ends with the id: that is no ref. */
      name: string;
    };

const MAIN_PREFIX = 'main-worktree/';
const LINKED_PREFIX = 'worktrees/';
const OWN_FOLDERS = ['refs/bisect/', 'refs/rewritten/', 'refs/worktree/'] as const;

/** Git's `parse_worktree_ref`. */
export function parseWorktreeRef(name: string): WorktreeRef {
  if (name.startsWith(LINKED_PREFIX)) {
    const slash = name.indexOf('/', LINKED_PREFIX.length);
    if (slash < 0) return { worktree: 'linked', id: name.slice(LINKED_PREFIX.length), name: '' };
    const id = name.slice(LINKED_PREFIX.length, slash);
    const bare = name.slice(slash + 1);
    if (isPerWorktree(bare)) return { worktree: 'linked', id, name: bare };
  } else if (name.startsWith(MAIN_PREFIX)) {
    const bare = name.slice(MAIN_PREFIX.length);
    if (isPerWorktree(bare)) return { worktree: 'main', name: bare };
  }
  return { worktree: isPerWorktree(name) ? 'current' : 'shared', name };
}

/** Whether each worktree has a ref of this name for itself. */
export function isPerWorktree(name: string): boolean {
  if (name.startsWith('refs/')) return OWN_FOLDERS.some((folder) => name.startsWith(folder));
  return /^[A-Z_-]*$/.test(name);
}

/** Whether a name begins as one does that says whose it is. */
export function mayNameWorktree(name: string): boolean {
  return name.startsWith(LINKED_PREFIX) || name.startsWith(MAIN_PREFIX);
}
