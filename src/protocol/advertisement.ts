// What a server says before it is asked anything: in versions 0 and 1 all its refs, in version 2 what it can do.

import manifest from '../../package.json' with { type: 'json' };
import { encodeText } from '../format/text.ts';
import type { RefReader } from '../refs/ref-store.ts';
import { resolveIfPossible } from '../refs/resolve.ts';
import { type Output, PieceWriter } from './output.ts';
import { FLUSH, pktLine } from './pkt-line.ts';
import { RefLines } from './ref-lines.ts';
import type { ServedRefs } from './served-refs.ts';
import type { ServedRepository } from './served-repository.ts';

export interface RefAdvertisement {
  version: 0 | 1;
  /** What the first line says besides; default: what we can do without a Git. */
  capabilities?: Uint8Array | undefined;
  /** The commits at which the history is cut off. */
  shallow?: readonly string[] | undefined;
}

/**
 * Writes all refs as they are now, `HEAD` first, up to the flush. Throws what reading them throws, and `PROTOCOL` for
 * a name that has no room in a line.
 */
export async function advertiseRefs(
  served: ServedRefs,
  { version, capabilities, shallow = [] }: RefAdvertisement,
  output: Output,
): Promise<void> {
  using refs = served.store.snapshot();
  const out = new PieceWriter(output);
  if (version === 1) await out.add(pktLine('version 1\n'));
  const lines = new RefLines(refs, out, {
    ...served.lines,
    style: 'advertisement',
    peel: true,
    symrefs: false,
    capabilities: capabilities ?? refCapabilities(served, refs),
  });
  const head = refs.read(`${served.namespace}HEAD`);
  if (head !== undefined) await lines.add(head);
  await lines.list('refs/');
  await lines.addCapabilities();
  for (const commit of shallow) await out.add(pktLine(`shallow ${commit}`));
  await out.add(FLUSH);
  await out.flush();
}

/** In versions 0 and 1, without those of a Git. */
function refCapabilities({ namespace, objectFormat }: ServedRefs, refs: RefReader): Uint8Array {
  const head = refs.read(`${namespace}HEAD`);
  const target = head?.target === undefined ? undefined : resolveIfPossible(refs, head.name)?.name;
  const capabilities = [`object-format=${objectFormat}`, `agent=${userAgent()}`];
  if (target?.startsWith(namespace)) {
    capabilities.unshift(`symref=HEAD:${target.slice(namespace.length)}`);
  }
  return encodeText(capabilities.join(' '));
}

/** Version 2's capabilities of a server without a Git, up to the flush. */
export function ownCapabilities(repository: ServedRepository): Uint8Array {
  const lines = [
    'version 2',
    `agent=${userAgent(repository.env)}`,
    repository.unborn === 'advertise' ? 'ls-refs=unborn' : 'ls-refs',
    'server-option',
    `object-format=${repository.objectFormat}`,
    ...(repository.advertisesSession ? [`session-id=${crypto.randomUUID()}`] : []),
  ];
  return Buffer.concat([...lines.map((line) => pktLine(`${line}\n`)), FLUSH]);
}

function userAgent(env: Record<string, string | undefined> = process.env): string {
  const agent = env.GIT_USER_AGENT ?? `reftable/${manifest.version}-${process.platform}`;
  return agent.replace(/[^\x21-\x7e]/g, '.');
}
