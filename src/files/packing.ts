// Packing: loose refs are written to packed-refs, and then their files are removed, each under its own lock and only
// if it still holds what was packed. Whoever reads meanwhile finds a ref in one of the two.

import { RefError } from '../errors.ts';
import { encodeText } from '../format/text.ts';
import { Glob } from '../glob.ts';
import { peelTag } from '../objects/tag-target.ts';
import { checkRefName } from '../refs/ref-name.ts';
import type { RefUpdate } from '../refs/ref-store.ts';
import { HookedTransaction, type TransactionHook } from '../refs/transaction/transaction-hook.ts';
import { UpdateBatch } from '../refs/transaction/update-batch.ts';
import { parseWorktreeRef } from '../refs/worktrees/worktree-ref.ts';
import type { FilesHost } from './files-host.ts';
import { pruneFoldersOf } from './folders.ts';
import { RefEdit } from './ref-edit.ts';

export interface PackingOptions {
  /** Only if there are many loose refs for what is packed. */
  auto: boolean;
  /** Whether the files go. */
  prune: boolean;
  /** Patterns of the names that are packed. */
  include: readonly string[];
  /** Patterns of those that are not, even so. */
  exclude: readonly string[];
}

/** Loose refs are packed for sixteen at least, or five for each doubling of what is packed. */
const FEWEST_LOOSE = 16;
const LOOSE_A_DOUBLING = 5;
/** A record in packed-refs has about so many bytes. */
const RECORD_SIZE = 100;

interface LooseValue {
  name: string;
  oid: string;
}

/**
 * Throws `LOCKED`, `IO`, `CORRUPT_REF`, and `HOOK_DECLINED`: to Git, packing is a transaction, and so is removing each
 * file.
 */
export async function packRefs(
  host: FilesHost,
  options: PackingOptions,
  hook: TransactionHook | undefined,
): Promise<void> {
  const accepts = nameTest(options);
  if (options.auto && (await packable(host, accepts)).length < limitOf(host)) return;
  const held = await host.packed.lock();
  let packed: LooseValue[];
  try {
    packed = await packable(host, accepts);
    const { objects } = host;
    const edits = [];
    for (const { name, oid } of packed) {
      const peeled = objects && (await peelTag(objects, oid));
      edits.push({ name, oid, peeled });
    }
    const hooked = hookedWith(host, hook, packed, ({ name: ref, oid: newOid }) => ({
      type: 'update',
      ref,
      newOid,
      deref: false,
    }));
    await hooked?.ask('preparing');
    await held.write(edits);
    await hooked?.ask('prepared');
    await held.commit();
    await hooked?.tell('committed');
  } finally {
    await held.release();
  }
  if (!options.prune) return;
  // The last one first, as Git does.
  for (const ref of packed.reverse()) {
    const hooked = hookedWith(host, hook, [ref], ({ name, oid: oldOid }) => ({
      type: 'delete',
      ref: name,
      oldOid,
      deref: false,
    }));
    await prune(host, ref, hooked);
  }
}

/** The loose refs that can be packed: those of all worktrees that are no symrefs and lead to objects. */
async function packable(
  { view, objects }: FilesHost,
  accepts: (name: string) => boolean,
): Promise<LooseValue[]> {
  const found: LooseValue[] = [];
  for (const { name, oid } of view.loose.refs('refs/')) {
    if (oid === undefined || parseWorktreeRef(name).worktree !== 'shared') continue;
    if (accepts(name)) found.push({ name, oid });
  }
  if (objects === undefined) return found;
  const findings = await objects.lookup(found.map(({ oid }) => oid));
  return found.filter(({ oid }) => findings.get(oid) !== 'missing');
}

function limitOf({ files, packed }: FilesHost): number {
  const records = Math.floor((files.sizeOf(packed.path) ?? 0) / RECORD_SIZE);
  const doublings = records === 0 ? 0 : Math.floor(Math.log2(records));
  return Math.max(doublings * LOOSE_A_DOUBLING, FEWEST_LOOSE);
}

function nameTest({ include, exclude }: PackingOptions): (name: string) => boolean {
  const [included, excluded] = [include, exclude].map((patterns) =>
    patterns.flatMap((pattern) => {
      const glob = Glob.compile(encodeText(pattern), { crossesFolders: true });
      return glob === undefined ? [] : [glob];
    }),
  );
  return (name) => {
    const bytes = encodeText(name);
    const matches = (glob: Glob) => glob.matches(bytes, 0, bytes.length);
    return included!.some(matches) && !excluded!.some(matches);
  };
}

/** Removes the file of a ref that was packed. */
async function prune(
  host: FilesHost,
  { name, oid }: LooseValue,
  hooked: HookedTransaction | undefined,
): Promise<void> {
  if (checkRefName(name) !== undefined) return;
  await hooked?.ask('preparing');
  const { files, view } = host;
  await RefEdit.under(host, name, async (edit) => {
    const now = view.loose.read(name);
    // Somebody has changed it since.
    if (now === undefined || now === 'folder' || now.oid !== oid) return;
    await hooked?.ask('prepared');
    try {
      files.unlink(edit.path);
    } catch (cause) {
      const message = `unable to unlink '${view.paths.shown(edit.path)}'`;
      throw new RefError('IO', message, { ref: name, file: edit.path, cause });
    }
    edit.unsynced.addFolderOf(edit.path);
  });
  pruneFoldersOf(files, name, (folder) => view.paths.ref(folder));
  await hooked?.tell('committed');
}

function hookedWith(
  { objectFormat }: FilesHost,
  hook: TransactionHook | undefined,
  refs: readonly LooseValue[],
  updateOf: (ref: LooseValue) => RefUpdate,
): HookedTransaction | undefined {
  return hook && new HookedTransaction(hook, UpdateBatch.from(refs.map(updateOf), objectFormat));
}
