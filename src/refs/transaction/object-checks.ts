// What Git asks of the objects that a transaction points refs at: that they exist, and that a branch gets a
// commit. On the way the batch learns what annotated tags stand for, which is stored beside them. Each object
// is looked up once, however many refs it is for.

import { readHex } from '../../format/object-format.ts';
import type { ObjectFinding, ObjectSource } from '../../objects/object-source.ts';
import { OidMap } from '../../objects/oid-map.ts';
import { peelTag } from '../../objects/tag-target.ts';
import { Refusal } from './refusal.ts';
import type { UpdateBatch } from './update-batch.ts';
import { DELETES, LOG_ONLY, SETS_TARGET, WRITES } from './update-flags.ts';

const REASON = 'invalid new value provided';

/** What is known of one object of the batch. */
interface CheckedObject {
  finding: ObjectFinding;
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
  for (const id of ids) {
    const finding = findings.get(id) ?? 'unknown';
    const type = typeof finding === 'object' ? finding.type : undefined;
    objects.push({ finding, peeled: type === 'tag' ? await peelTag(source, id) : undefined });
    areCommits &&= type === 'commit';
  }
  if (areCommits) return;
  for (let entry = 0; entry < batch.count; entry++) {
    const id = idOf[entry]!;
    if (id < 0) continue;
    const { finding, peeled } = objects[id]!;
    const refusal = refusalOf(batch, entry, finding);
    if (refusal === undefined) {
      if (peeled !== undefined) batch.peeled.set(entry, peeled);
    } else {
      if (!batchUpdates) throw refusal;
      batch.refused.set(entry, refusal);
    }
  }
}

function refusalOf(batch: UpdateBatch, entry: number, finding: ObjectFinding): Refusal | undefined {
  if (finding === 'unknown') return undefined;
  if (finding === 'missing') {
    const ref = batch.name(entry);
    const message = `trying to write ref '${ref}' with nonexistent object ${batch.newOid(entry)}`;
    return new Refusal(REASON, message, ref);
  }
  if (finding.type === 'commit') return undefined;
  const ref = batch.name(entry);
  if (ref !== 'HEAD' && !ref.startsWith('refs/heads/')) return undefined;
  const message = `trying to write non-commit object ${batch.newOid(entry)} to branch '${ref}'`;
  return new Refusal(REASON, message, ref);
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
