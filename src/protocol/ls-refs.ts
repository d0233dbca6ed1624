// `ls-refs`, version 2's command for a list of refs: what may be asked for, and the answer.
//
//   peel                tell what annotated tags come down to
//   symrefs             tell what symrefs name
//   unborn              tell of a HEAD that names a branch which is not born, if `lsrefs.unborn` allows it
//   ref-prefix PREFIX   only refs whose names begin with this, or with another one that is given

import { RefError } from '../errors.ts';
import { compareBytes } from '../format/bytes.ts';
import { decodeText, encodeText } from '../format/text.ts';
import { checkRefName } from '../refs/ref-name.ts';
import type { RefReader } from '../refs/ref-store.ts';
import { MAX_SYMREF_DEPTH } from '../refs/resolve.ts';
import { type Output, PieceWriter } from './output.ts';
import { FLUSH, type PktLineReader, textOf } from './pkt-line.ts';
import { RefLines } from './ref-lines.ts';
import type { ServedRefs } from './served-refs.ts';

export interface LsRefsRequest {
  readonly peel: boolean;
  readonly symrefs: boolean;
  readonly unborn: boolean;
  /** In byte order, none of which begins with another; a single empty one for all refs. */
  readonly prefixes: readonly string[];
}

/** All refs, and nothing else of them. */
export const NO_ARGUMENTS: LsRefsRequest = {
  ...{ peel: false, symrefs: false, unborn: false },
  prefixes: [''],
};

/** With so many prefixes a list of all refs is cheaper than choosing, and a client chooses by itself anyway. */
const TOO_MANY_PREFIXES = 65536;
/** What they may take in memory, characters. */
const TOO_LONG_PREFIXES = 4 * 1024 * 1024;

const PREFIX_ARGUMENT = 'ref-prefix ';

/** Reads the arguments up to the flush. Throws `PROTOCOL`, in Git's words. */
export async function readLsRefsArguments(reader: PktLineReader): Promise<LsRefsRequest> {
  const flags = { peel: false, symrefs: false, unborn: false };
  const prefixes: string[] = [];
  let count = 0;
  let length = 0;
  let packet = await reader.read();
  for (; packet instanceof Uint8Array; packet = await reader.read()) {
    const argument = textOf(packet);
    if (argument === 'peel' || argument === 'symrefs' || argument === 'unborn') {
      flags[argument] = true;
    } else if (argument.startsWith(PREFIX_ARGUMENT)) {
      count++;
      length += argument.length;
      if (count < TOO_MANY_PREFIXES && length < TOO_LONG_PREFIXES) {
        prefixes.push(argument.slice(PREFIX_ARGUMENT.length));
      }
    } else {
      throw new RefError('PROTOCOL', `unexpected line: '${argument}'`);
    }
  }
  if (packet !== 'flush') throw new RefError('PROTOCOL', 'expected flush after ls-refs arguments');
  const chosen = prefixes.length < count ? [] : prefixes;
  return { ...flags, prefixes: chosen.length === 0 ? [''] : withoutLonger(chosen) };
}

/** In byte order, less those that begin with another. */
function withoutLonger(prefixes: readonly string[]): string[] {
  const kept: Uint8Array[] = [];
  // As bytes: what a name begins with may end within a character.
  for (const prefix of prefixes.map(encodeText).sort(compareBytes)) {
    const last = kept.at(-1);
    if (last === undefined || !last.every((byte, i) => prefix[i] === byte)) kept.push(prefix);
  }
  return kept.map((prefix) => decodeText(prefix));
}

/** What the symref names in the end, where there is no such ref. */
function unbornTarget(refs: RefReader, name: string): string | undefined {
  let at = name;
  for (let depth = 0; depth < MAX_SYMREF_DEPTH; depth++) {
    if (checkRefName(at, { allowOneLevel: true }) !== undefined) return undefined;
    const ref = refs.read(at);
    if (ref === undefined) return at;
    if (ref.target === undefined) return undefined;
    at = ref.target;
  }
  return undefined;
}

/**
 * Answers with the refs as they are now, `HEAD` first, up to the flush. Throws what reading them throws, and
 * `PROTOCOL` for a name that has no room in a line.
 */
export async function answerLsRefs(
  served: ServedRefs,
  request: LsRefsRequest,
  output: Output,
): Promise<void> {
  const { store, namespace } = served;
  using refs = store.snapshot();
  const out = new PieceWriter(output);
  const { peel, symrefs, prefixes } = request;
  const lines = new RefLines(refs, out, { ...served.lines, style: 'ls-refs', peel, symrefs });
  if (prefixes.some((prefix) => 'HEAD'.startsWith(prefix))) {
    const name = `${namespace}HEAD`;
    const head = refs.read(name);
    const unborn = head?.target === undefined ? undefined : unbornTarget(refs, name);
    if (unborn === undefined) {
      if (head !== undefined) await lines.add(head);
    } else if (request.unborn && served.unborn !== 'ignore' && symrefs) {
      await lines.addUnborn(name, unborn);
    }
  }
  for (const prefix of prefixes) await lines.list(prefix);
  await out.add(FLUSH);
  await out.flush();
}
