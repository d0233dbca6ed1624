// Names of branches in braces: `@{-1}`, `main@{upstream}`; and `@`.

import type { RefReader } from '../../refs/ref-store.ts';
import { die } from '../failure.ts';
import { shortenRefName } from '../ref-names.ts';
import { findRepository } from '../repository.ts';
import { upstreamOf } from '../upstream.ts';

const PREVIOUS = /^@\{-(\d+)\}/;

const UPSTREAM = /^(.*)@\{u(?:pstream)?\}$/is;

const PUSH = /^(.*)@\{push\}$/is;

const MARK = /^([^:]*?)@\{(u|upstream|push)\}(.*)$/is;

/** Whether the text, from `@{` on, stands for a branch that another one goes with. */
export function isTrackingMark(mark: string): boolean {
  return UPSTREAM.test(mark) || PUSH.test(mark);
}

/**
 * What a name with `@{-1}`, `@{upstream}` or `@` stands for; the name itself where it has none of these, `undefined`
 * where there have not been so many branches.
 */
export function expandName(refs: RefReader, text: string): string | undefined {
  const previous = PREVIOUS.exec(text);
  if (previous !== null) {
    const branch = previousBranch(refs, Number(previous[1]));
    return branch && expandName(refs, branch + text.slice(previous[0].length));
  }
  if (text === '@') return 'HEAD';
  const upstream = UPSTREAM.exec(text);
  if (upstream !== null) {
    const name = upstreamOf(refs, findRepository().config, upstream[1] || undefined);
    return shortenRefName(refs, name);
  }
  const push = PUSH.exec(text);
  if (push !== null) refusePush(refs, text, push[1]);
  return text;
}

/**
 * The local branch that `@{-1}` or `main@{upstream}` stands for, `main`; the text itself where it has none of these,
 * where there have not been so many branches, or where the upstream is none of this repository's.
 */
export function expandBranch(refs: RefReader, text: string): string {
  const previous = PREVIOUS.exec(text);
  if (previous !== null) {
    const branch = previousBranch(refs, Number(previous[1]));
    return branch === undefined
      ? text
      : expandBranch(refs, branch + text.slice(previous[0].length));
  }
  // What stands behind the braces belongs to the name.
  const [, branch, mark, rest] = MARK.exec(text) ?? [];
  if (mark === undefined) return text;
  if (mark.toLowerCase() === 'push') refusePush(refs, text, branch);
  const name = upstreamOf(refs, findRepository().config, branch || undefined);
  return name.startsWith('refs/heads/') ? shortenRefName(refs, name) + rest : text;
}

/** With nothing set, a branch is pushed to its upstream; what other settings say is not looked at. */
function refusePush(refs: RefReader, text: string, branch: string | undefined): never {
  upstreamOf(refs, findRepository().config, branch || undefined);
  die(`'${text}': where a branch is pushed to is not known here`);
}

/** The branch, or the object id, that was checked out so many checkouts ago. */
function previousBranch(refs: RefReader, count: number): string | undefined {
  let left = count;
  if (left === 0) return undefined;
  for (const { message } of refs.reflog('HEAD')) {
    const from = /^checkout: moving from (.*?) to /s.exec(message)?.[1];
    if (from !== undefined && --left === 0) return from;
  }
  return undefined;
}
