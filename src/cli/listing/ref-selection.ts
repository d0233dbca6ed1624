// Choosing refs by what they point at and by the history behind that: `--points-at`, `--merged`,
// `--contains` and their opposites.

import type { ObjectSource } from '../../objects/object-source.ts';
import { parseTagTarget } from '../../objects/tag-target.ts';
import type { RefStore } from '../../refs/ref-store.ts';
import { die, UsageError } from '../failure.ts';
import { Containment, type History } from '../history.ts';
import { writeError } from '../output.ts';
import type { ListedRef } from '../ref-format/listed-ref.ts';
import { resolveOid } from '../revisions/resolve-oid.ts';

/** The options' arguments: names of objects. */
export interface RefSelectionOptions {
  pointsAt: readonly string[] | undefined;
  merged: readonly string[] | undefined;
  notMerged: readonly string[] | undefined;
  contains: readonly string[] | undefined;
  notContains: readonly string[] | undefined;
}

type Selection = (refs: ListedRef[]) => Promise<ListedRef[]>;

/** The choice, `undefined` where nothing is asked for. Throws `UsageError` and dies, in Git's words. */
export async function refSelection(
  store: RefStore,
  objects: ObjectSource | undefined,
  history: History,
  options: RefSelectionOptions,
): Promise<Selection | undefined> {
  const { pointsAt, merged, notMerged, contains, notContains } = options;
  const steps: Selection[] = [];
  if (pointsAt !== undefined) {
    const oids = new Set<string>();
    for (const name of pointsAt) {
      oids.add((await resolveOid(store, name)) ?? refuse(`malformed object name '${name}'`));
    }
    steps.push((refs) => pointingAt(objects, refs, oids));
  }
  const containing = await commitsNamed(store, history, contains);
  const notContaining = await commitsNamed(store, history, notContains);
  const reachable = await mergeBases(store, history, 'merged', merged);
  const unreachable = await mergeBases(store, history, 'no-merged', notMerged);
  const tests: ((commit: string) => Promise<boolean>)[] = [];
  if (containing !== undefined) {
    const containment = new Containment(history, containing);
    tests.push((commit) => containment.contains(commit));
  }
  if (notContaining !== undefined) {
    const containment = new Containment(history, notContaining);
    tests.push(async (commit) => !(await containment.contains(commit)));
  }
  if (reachable !== undefined) tests.push(async (commit) => reachable.has(commit));
  if (unreachable !== undefined) tests.push(async (commit) => !unreachable.has(commit));
  if (tests.length > 0) steps.push((refs) => passing(history, refs, tests));
  if (steps.length === 0) return undefined;
  return async (refs) => {
    let left = refs;
    for (const step of steps) left = await step(left);
    return left;
  };
}

function refuse(message: string): never {
  throw new UsageError(message, { showsHelp: false });
}

/** The refs whose object, or one of the tags and what they stand for behind it, is one of these. */
async function pointingAt(
  objects: ObjectSource | undefined,
  refs: ListedRef[],
  wanted: ReadonlySet<string>,
): Promise<ListedRef[]> {
  const findings = await objects?.lookup(refs.map(({ oid }) => oid));
  const found: ListedRef[] = [];
  for (const ref of refs) {
    const finding = findings?.get(ref.oid) ?? 'unknown';
    const isDirect = wanted.has(ref.oid);
    // Told when its turn comes.
    if (finding === 'missing' && !isDirect) ref.trouble = `malformed object at '${ref.name}'`;
    if (isDirect || ref.trouble !== undefined) {
      found.push(ref);
      continue;
    }
    if (finding === 'unknown') {
      if (ref.peeled !== undefined && wanted.has(ref.peeled)) found.push(ref);
      continue;
    }
    for (let oid = ref.oid; ; ) {
      const object = await objects?.read(oid);
      if (object?.type !== 'tag') break;
      const target = parseTagTarget(object.content, oid.length)?.oid;
      if (target === undefined) ref.trouble = `malformed object at '${ref.name}'`;
      else oid = target;
      if (ref.trouble === undefined && !wanted.has(oid)) continue;
      found.push(ref);
      break;
    }
  }
  return found;
}

/** The refs that come down to a commit which passes all tests. */
async function passing(
  history: History,
  refs: ListedRef[],
  tests: readonly ((commit: string) => Promise<boolean>)[],
): Promise<ListedRef[]> {
  const found: ListedRef[] = [];
  for (const ref of refs) {
    const commit = await history.commitOf(ref.oid);
    if (commit === undefined) continue;
    let passes = true;
    for (const test of tests) passes &&= await test(commit);
    if (passes) found.push(ref);
  }
  return found;
}

/** The commits of `--contains`. */
async function commitsNamed(
  store: RefStore,
  history: History,
  names: readonly string[] | undefined,
): Promise<string[] | undefined> {
  if (names === undefined) return undefined;
  const commits: string[] = [];
  for (const name of names) {
    const oid = (await resolveOid(store, name)) ?? refuse(`malformed object name ${name}`);
    commits.push((await commitAt(history, oid)) ?? refuse(`no such commit ${name}`));
  }
  return commits;
}

/** The commit that the object comes down to; where it is none, tells what it is. */
async function commitAt(history: History, oid: string): Promise<string | undefined> {
  const peeled = await history.peel(oid);
  if (peeled === undefined || peeled.type === 'commit') return peeled?.oid;
  writeError(`error: object ${peeled.oid} is a ${peeled.type}, not a commit\n`);
  return undefined;
}

/** All that can be reached from the commits of `--merged`. */
async function mergeBases(
  store: RefStore,
  history: History,
  option: string,
  names: readonly string[] | undefined,
): Promise<Set<string> | undefined> {
  if (names === undefined) return undefined;
  const commits: string[] = [];
  for (const name of names) {
    const oid = (await resolveOid(store, name)) ?? die(`malformed object name ${name}`);
    const commit = await commitAt(history, oid);
    commits.push(commit ?? refuse(`option \`${option}' must point to a commit`));
  }
  return history.ancestors(commits);
}
