// The stacks of a repository as one of its worktrees sees them: the shared one, which is the main worktree's own
// as well; its own, in a linked worktree; and the others', which are opened when their refs are asked for.

import type { Stack } from '../../stack/stack.ts';
import { mayNameWorktree, parseWorktreeRef } from './worktree-ref.ts';

export interface WorktreeStacksOptions {
  /** The linked worktree that one is in, by its folder in `worktrees/`; `undefined` in the main one. */
  linked?: { id: string; stack: Stack } | undefined;
  /** Opens the stack of a linked worktree; `undefined` if there is no such worktree. */
  openLinked?: ((id: string) => Stack | undefined) | undefined;
}

/** A ref's stack, and what it is called there. */
export interface Location {
  /** `undefined` if there is no such worktree. */
  stack: Stack | undefined;
  name: string;
}

export class WorktreeStacks {
  /** What all worktrees share, and what the main one has for itself. */
  readonly shared: Stack;
  /** What the worktree that one is in has for itself: in the main one, the same as `shared`. */
  readonly own: Stack;
  readonly #linked = new Map<string, Stack>();
  readonly #openLinked: (id: string) => Stack | undefined;

  /** Owns the stacks and closes them. */
  constructor(shared: Stack, { linked, openLinked = () => undefined }: WorktreeStacksOptions = {}) {
    this.shared = shared;
    this.own = linked?.stack ?? shared;
    if (linked !== undefined) this.#linked.set(linked.id, linked.stack);
    this.#openLinked = openLinked;
  }

  /** Whether the worktree that one is in is a linked one. */
  get isLinked(): boolean {
    return this.own !== this.shared;
  }

  /** Whether a ref is where all refs of a repository without linked worktrees are. */
  isPlain(name: string): boolean {
    return !this.isLinked && !mayNameWorktree(name);
  }

  locate(name: string): Location {
    const at = parseWorktreeRef(name);
    switch (at.worktree) {
      case 'current':
        return { stack: this.own, name };
      case 'linked':
        return { stack: this.#linkedStack(at.id), name: at.name };
      default:
        return { stack: this.shared, name: at.name };
    }
  }

  /** Those that are open, the shared one last. */
  get open(): Stack[] {
    return [...this.#linked.values(), this.shared];
  }

  close(): void {
    for (const stack of this.open) stack.close();
  }

  #linkedStack(id: string): Stack | undefined {
    const known = this.#linked.get(id);
    if (known !== undefined) return known;
    const stack = this.#openLinked(id);
    if (stack !== undefined) this.#linked.set(id, stack);
    return stack;
  }
}
