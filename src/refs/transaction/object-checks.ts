// What Git asks of the objects that a transaction points refs at: that they exist and are whole, and that a branch
// gets a commit. On the way the batch learns what annotated tags stand for, which is stored beside them. Each object
// is looked up once, however many refs it is for.

import { RefError } from '../../errors.ts';
import { type ObjectFormat, readHex } from '../../format/object-format.ts';
import { objectFault } from '../../objects/object-fault.ts';
import type { ObjectFinding, ObjectSource } from '../../objects/object-source.ts';
import { OidMap } from '../../objects/oid-map.ts';
import { peelTag } from '../../objects/tag-target.ts';
import { Breather } from '../../stack/breather.ts';
import { Refusal } from './refusal.ts';
import type { UpdateBatch } from './update-batch.ts';
import { DELETES, LOG_ONLY, SETS_TARGET, WRITES } from './update-flags.ts';

const REASON = 'invalid new value provided';

/** What is known of one object of the batch. */
interface CheckedObject {
  finding: ObjectFinding;
  /** What is wrong with its content, in Git's words; empty where Git has none. */
  fault: string | undefined;
  /** What the tag stands for, hex; `undefined` if it is none, or that is not known. */
  peeled: string | undefined;
}

/**
 * Looks up what the updates of a batch point refs at. The first that may not be made is thrown as
 * `INVALID_NEW_VALUE`, in Git's words; where updates may fail one by one, all are noted as refused. What the source
 * knows nothing of is let pass. Throws what the source throws.
 */
export async function checkObjects(
  batch: UpdateBatch,
  source: ObjectSource,
  batchUpdates: boolean,
): Promise<void> {
  const { ids, idOf } = distinctNewOids(batch);
  if (ids.length === 0) return;
  const findings = await source.lookup(ids);
  const objects: CheckedObject[] = [];
  let areCommits = true;
  const breather = new Breather();
  for (const id of ids) {
    const checked = await checkObject(
      id,
      findings.get(id) ?? 'unknown',
      source,
      batch.objectFormat,
    );
    objects.push(checked);
    areCommits &&= isCommit(checked.finding) && checked.fault === undefined;
    await breather.breathe();
  }
  if (areCommits) return;
  for (let entry = 0; entry < batch.count; entry++) {
    const id = idOf[entry]!;
    if (id < 0) continue;
    const refusal = refusalOf(batch, entry, objects[id]!);
    const { peeled } = objects[id]!;
    if (refusal === undefined) {
      if (peeled !== undefined) batch.peeled.set(entry, peeled);
    } else {
      if (!batchUpdates) throw refusal;
      batch.refused.set(entry, refusal);
    }
  }
}

async function checkObject(
  oid: string,
  finding: ObjectFinding,
  source: ObjectSource,
  objectFormat: ObjectFormat,
): Promise<CheckedObject> {
  const type = typeof finding === 'object' ? finding.type : undefined;
  const object = type === 'commit' || type === 'tag' ? await source.read(oid) : undefined;
  const fault = object && objectFault(oid, object, objectFormat);
  const isTag = object?.type === 'tag' && fault === undefined;
  return { finding, fault, peeled: isTag ? await peelTag(source, oid, object) : undefined };
}

function refusalOf(
  batch: UpdateBatch,
  entry: number,
  { finding, fault }: CheckedObject,
): Refusal | undefined {
  if (finding === 'unknown') return undefined;
  if (finding === 'missing' || fault !== undefined) {
    const ref = batch.name(entry);
    const message = `trying to write ref '${ref}' with nonexistent object ${batch.newOid(entry)}`;
    const cause = fault ? new RefError('CORRUPT_OBJECT', fault) : undefined;
    return new Refusal(REASON, message, ref, { cause });
  }
  if (isCommit(finding)) return undefined;
  const ref = batch.name(entry);
  if (ref !== 'HEAD' && !ref.startsWith('refs/heads/')) return undefined;
  const message = `trying to write non-commit object ${batch.newOid(entry)} to branch '${ref}'`;
  return new Refusal(REASON, message, ref);
}

function isCommit(finding: ObjectFinding): boolean {
  return typeof finding === 'object' && finding.type === 'commit';
}

/** The object ids that refs are set to, each once, in hex; and for each entry which one that is, -1 for none. */
function distinctNewOids(batch: UpdateBatch): { ids: string[]; idOf: Int32Array } {
  const { count, newOids, oidLength, flags } = batch;
  const idOf = new Int32Array(count).fill(-1);
  const ids: string[] = [];
  /** Where each stands in `ids`, counted from 1. */
  const places = new OidMap(oidLength);
  for (let entry = 0; entry < count; entry++) {
    if ((flags[entry]! & (WRITES | DELETES | SETS_TARGET | LOG_ONLY)) !== WRITES) continue;
    const at = entry * oidLength;
    let place = places.get(newOids, at);
    if (place === 0) {
      place = ids.push(readHex(newOids, at, oidLength));
      places.set(newOids, at, place);
    }
    idOf[entry] = place - 1;
  }
  return { ids, idOf };
}
