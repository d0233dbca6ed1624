// What can be wrong with a ref although its record can be read: the checks of `git refs verify`.

import type { RefRecord } from '../format/records.ts';
import { checkRefName, isRootRef } from './ref-name.ts';

/** A fault by the name that Git's `fsck.<msg-id>` settings have for it. */
export type RefFault = 'badHeadTarget' | 'badRefOid' | 'badReferentName' | 'symrefTargetIsNotARef';

/** Tells of a fault; whether it counts as an error, after which nothing more is told of this ref. */
export type ReportFault = (fault: RefFault, message: string) => boolean;

const ZEROS = /^0+$/;

/** Checks one ref; whether an error was reported. */
export function verifyRef({ name, oid, target }: RefRecord, report: ReportFault): boolean {
  if (target !== undefined) return verifyTarget(name, target, report);
  return ZEROS.test(oid!) && report('badRefOid', `points to invalid object ID '${oid}'`);
}

function verifyTarget(name: string, target: string, report: ReportFault): boolean {
  if (name === 'HEAD' && !target.startsWith('refs/heads/')) {
    if (report('badHeadTarget', `HEAD points to non-branch '${target}'`)) return true;
  }
  if (isRootRef(target)) return false;
  if (checkRefName(target) !== undefined) {
    if (report('badReferentName', `points to invalid refname '${target}'`)) return true;
  }
  if (target.startsWith('refs/') || target.startsWith('worktrees/')) return false;
  return report('symrefTargetIsNotARef', `points to non-ref target '${target}'`);
}
