// The fields `upstream` and `push`: what a branch follows and is pushed to. Empty for what is no branch.

import { fromByteText, toByteText } from '../byte-text.ts';
import type { Distance } from '../history.ts';
import type { FieldContext } from './field-context.ts';
import type { HistoryField } from './history-fields.ts';
import type { ListedRef } from './listed-ref.ts';
import { type NamePresentation, namePresentation } from './name-presentation.ts';

type What = 'ref' | 'track' | 'trackshort' | 'remotename' | 'remoteref';

interface Presentation {
  what: What;
  present: NamePresentation;
  brackets: boolean;
}

const BRANCHES = 'refs/heads/';

/** `star` is `*` where the field begins so. Dies in Git's words for arguments that are none. */
export function trackingField(
  name: 'upstream' | 'push',
  star: string,
  argument: string | undefined,
  context: FieldContext,
): HistoryField {
  const presentation = parsePresentation(star + name, argument, context);
  const { what, present } = presentation;
  const isPush = name === 'push';
  const followedBy = (branch: string) =>
    isPush ? context.tracking().push(branch) : context.tracking().upstream(branch);
  const distances = new Map<ListedRef, Distance | undefined>();
  const prepare = async (ref: ListedRef) => {
    const followed = ref.name.startsWith(BRANCHES) ? followedBy(branchOf(ref)) : undefined;
    const oid = followed === undefined ? undefined : context.resolve(followed);
    if (oid !== undefined) distances.set(ref, await context.distance(ref.oid, oid));
  };
  return {
    prepare: what === 'track' || what === 'trackshort' ? prepare : undefined,
    text(ref) {
      if (!ref.name.startsWith(BRANCHES)) return '';
      const branch = branchOf(ref);
      const tracking = context.tracking();
      const followed = followedBy(branch);
      const namesRemote = what === 'remotename' || what === 'remoteref';
      if (followed === undefined && !(isPush && namesRemote)) return '';
      switch (what) {
        case 'ref':
          return present(toByteText(followed!));
        case 'remotename':
          return toByteText(
            (isPush ? tracking.pushRemote(branch) : tracking.upstreamRemote(branch)) ?? '',
          );
        case 'remoteref':
          return toByteText(
            (isPush ? tracking.pushRef(branch) : tracking.upstreamRef(branch)) ?? '',
          );
        default: {
          const distance = distances.get(ref);
          distances.delete(ref);
          return showDistance(distance, presentation);
        }
      }
    },
  };
}

function branchOf({ name }: ListedRef): string {
  return fromByteText(name.slice(BRANCHES.length));
}

function parsePresentation(
  name: string,
  argument: string | undefined,
  { shorten }: FieldContext,
): Presentation {
  const presentation: Presentation = { what: 'ref', present: (full) => full, brackets: true };
  for (const part of argument?.split(',') ?? []) {
    switch (part) {
      case 'nobracket':
        presentation.brackets = false;
        break;
      case 'track':
      case 'trackshort':
      case 'remotename':
      case 'remoteref':
        presentation.what = part;
        break;
      default:
        presentation.what = 'ref';
        // As in Git, what shortens a name stands alone.
        presentation.present = namePresentation(name, argument, shorten);
    }
  }
  return presentation;
}

/** How far a branch and what it follows have gone apart; `undefined` where that is not there. */
function showDistance(
  distance: Distance | undefined,
  { what, brackets }: Pick<Presentation, 'what' | 'brackets'>,
): string {
  if (what === 'trackshort') {
    if (distance === undefined) return '';
    const { ahead, behind } = distance;
    if (ahead === 0) return behind === 0 ? '=' : '<';
    return behind === 0 ? '>' : '<>';
  }
  const parts: string[] = [];
  if (distance === undefined) parts.push('gone');
  else {
    if (distance.ahead > 0) parts.push(`ahead ${distance.ahead}`);
    if (distance.behind > 0) parts.push(`behind ${distance.behind}`);
  }
  const text = parts.join(', ');
  return brackets && text !== '' ? `[${text}]` : text;
}
