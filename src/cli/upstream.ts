// The branch that another one is based on, as the configuration says: `@{upstream}`.

import { checkRefName } from '../refs/ref-name.ts';
import type { RefReader } from '../refs/ref-store.ts';
import type { Config } from '../repository/config.ts';
import { die } from './failure.ts';
import { findRefs } from './ref-names.ts';

/**
 * The full name of the upstream of a branch, `main`, or of the current one. Ends the command, in Git's words, where
 * there is none.
 */
export function upstreamOf(refs: RefReader, config: Config, branch: string | undefined): string {
  const current = refs.read('HEAD')?.target;
  const isCurrent = branch === undefined || branch === 'HEAD' || branch === '@';
  if (isCurrent && current?.startsWith('refs/heads/') !== true) {
    die('HEAD does not point to a branch');
  }
  const name = isCurrent ? current!.slice('refs/heads/'.length) : branch;
  const remote = config.get(`branch.${name}.remote`);
  const merge = config.get(`branch.${name}.merge`);
  if (remote === undefined || merge === undefined) {
    const exists = refs.read(`refs/heads/${name}`) !== undefined;
    die(exists ? `no upstream configured for branch '${name}'` : `no such branch: '${name}'`);
  }
  const tracking =
    remote === '.' ? findRefs(refs, merge)[0]?.name : trackingRef(config, remote, merge);
  return tracking ?? die(`upstream branch '${merge}' not stored as a remote-tracking branch`);
}

/** Where `git fetch` puts a branch of a remote. */
function trackingRef(config: Config, remote: string, merge: string): string | undefined {
  for (const refspec of config.getAll(`remote.${remote}.fetch`)) {
    const [from = '', to] = refspec.replace(/^\+/, '').split(':');
    if (to === undefined || to === '') continue;
    const star = from.indexOf('*');
    if (star === -1) {
      if (from === merge) return to;
      continue;
    }
    const [start, end] = [from.slice(0, star), from.slice(star + 1)];
    const isMatch =
      merge.length >= from.length - 1 && merge.startsWith(start) && merge.endsWith(end);
    if (!isMatch) continue;
    const tracking = to.replace('*', () => merge.slice(start.length, merge.length - end.length));
    if (checkRefName(tracking) === undefined) return tracking;
  }
  return undefined;
}
