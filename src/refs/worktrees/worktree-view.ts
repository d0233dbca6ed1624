// The view that a transaction is planned over where a repository has several stacks: each name is looked for where
// it belongs, and the next name is the first of all stacks that the transaction is about.

import { compareText } from '../../format/text.ts';
import type { Stack } from '../../stack/stack.ts';
import type { RefView } from '../ref-view.ts';
import { tableView } from '../table-view.ts';
import type { Reach } from './reach.ts';
import { isPerWorktree } from './worktree-ref.ts';
import type { WorktreeStacks } from './worktree-stacks.ts';

/** The view for a transaction of this reach. The stacks that it writes to are locked, so that they do not change. */
export function worktreeView(stacks: WorktreeStacks, { prefixes }: Reach): RefView {
  const views = new Map<Stack, RefView>();
  const viewOf = (stack: Stack): RefView => {
    let view = views.get(stack);
    if (view === undefined) {
      view = tableView(() => stack.current().merged);
      views.set(stack, view);
    }
    return view;
  };
  const shared = viewOf(stacks.shared);
  const parts = [...prefixes].map(
    ([prefix, stack]) => new Part(viewOf(stack), isPerWorktree, prefix),
  );
  if (stacks.isLinked) {
    parts.push(new Part(viewOf(stacks.own), isPerWorktree));
    parts.push(new Part(shared, (name) => !isPerWorktree(name)));
  } else if (parts.length > 0) {
    parts.push(new Part(shared, () => true));
  }
  const located = (name: string): { view: RefView | undefined; there: string } => {
    if (stacks.isPlain(name)) return { view: shared, there: name };
    const { stack, name: there } = stacks.locate(name);
    return { view: stack && viewOf(stack), there };
  };
  return {
    ref(name) {
      if (stacks.isPlain(name)) return shared.ref(name);
      const { view, there } = located(name);
      const record = view?.ref(there);
      return record === undefined || there === name ? record : { ...record, name };
    },
    firstFrom: (name) => (parts.length === 0 ? shared.firstFrom(name) : firstOf(parts, name)),
    hasReflog(name) {
      const { view, there } = located(name);
      return view?.hasReflog(there) ?? false;
    },
    log(name) {
      const { view, there } = located(name);
      return view?.log(there) ?? [];
    },
  };
}

/** The names of one stack that belong to it, as they are called here. */
class Part {
  readonly #view: RefView;
  readonly #accepts: (name: string) => boolean;
  readonly #prefix: string;
  /** What was asked for last, and the answer: asked in ascending order, most of the questions are the same. */
  #from: string | undefined;
  #next: string | undefined;

  constructor(view: RefView, accepts: (name: string) => boolean, prefix = '') {
    this.#view = view;
    this.#accepts = accepts;
    this.#prefix = prefix;
  }

  firstFrom(name: string): string | undefined {
    const isKnown =
      this.#from !== undefined &&
      compareText(name, this.#from) >= 0 &&
      (this.#next === undefined || compareText(name, this.#next) <= 0);
    if (!isKnown) {
      this.#next = this.#find(name);
      this.#from = name;
    }
    return this.#next;
  }

  #find(name: string): string | undefined {
    const prefix = this.#prefix;
    const isWithin = name.startsWith(prefix);
    if (!isWithin && compareText(name, prefix) > 0) return undefined;
    let found = this.#view.firstFrom(isWithin ? name.slice(prefix.length) : '');
    // NUL is in no name: this is the first that can come behind the one that is found.
    while (found !== undefined && !this.#accepts(found)) found = this.#view.firstFrom(`${found}\0`);
    return found === undefined ? undefined : prefix + found;
  }
}

function firstOf(parts: readonly Part[], name: string): string | undefined {
  let first: string | undefined;
  for (const part of parts) {
    const found = part.firstFrom(name);
    if (found === undefined || (first !== undefined && compareText(first, found) <= 0)) continue;
    first = found;
  }
  return first;
}
