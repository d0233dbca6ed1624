// Whether the refs and the reflog of a branch are what its writers were told: each step that was acknowledged is there
// once, none that was not asked for, and each begins where the one before it ended.

import { BRANCH } from './expected-refs.ts';

/**
 * What is wrong, `undefined` if nothing is. `refs` is what `describeStore` gives, and a history what a process told:
 * `asks OID`, `has OID`, `fails: …`.
 */
export function judgeHistory(
  refs: string,
  histories: readonly (readonly string[])[],
): string | undefined {
  const told = histories.flat();
  const failure = told.find((event) => event.startsWith('fails: '));
  if (failure !== undefined) return failure;
  const oidsOf = (what: string) =>
    told.filter((event) => event.startsWith(what)).map((event) => event.slice(what.length));
  const lines = refs.split('\n');
  const log = lines
    .filter((line) => line.startsWith(`log ${BRANCH} `))
    .map((line) => line.split(' ').slice(2))
    .reverse();
  const steps = log.map(([, newOid]) => newOid!);
  const asked = oidsOf('asks ');
  for (const oid of oidsOf('has ')) {
    if (!steps.includes(oid)) return `${oid} was acknowledged, and is not in the reflog`;
  }
  let before = '0'.repeat(40);
  for (const [oldOid, newOid] of log) {
    if (oldOid !== before) return `${newOid} was set where ${oldOid} was, and is after ${before}`;
    before = newOid!;
  }
  if (new Set(steps).size !== steps.length) return 'a step is in the reflog twice';
  const unasked = steps.find((oid) => !asked.includes(oid));
  if (unasked !== undefined) return `${unasked} is in the reflog, and nobody asked for it`;
  const isThere = (name: string, oid: string) => lines.includes(`${name} ${oid}`);
  if (steps.length > 0 && !isThere(BRANCH, before)) return `${BRANCH} is not where its log ends`;
  for (const oid of asked) {
    if (isThere(`refs/tags/${oid}`, oid) !== steps.includes(oid)) return `${oid} is there in part`;
  }
  return undefined;
}
