// How `show-ref` prints refs: an object id and a name a line, and what annotated tags come down to. Looks
// whether the objects exist, as Git does.

import { oidSize } from '../../format/object-format.ts';
import { encodeText } from '../../format/text.ts';
import type { ObjectSource } from '../../objects/object-source.ts';
import { peelTag } from '../../objects/tag-target.ts';
import type { LinePart } from '../../refs/line-template.ts';
import type { RefReader, RefStore } from '../../refs/ref-store.ts';
import { RefIterator } from '../../table/ref-iterator.ts';
import { fromByteText } from '../byte-text.ts';
import { die } from '../failure.ts';
import { PlainLines } from '../listing/plain-lines.ts';
import { isWantedName, listedRef } from '../listing/ref-filter.ts';
import type { NameTest } from '../listing/wildmatch.ts';
import { stdout } from '../output.ts';
import type { ListedRef } from '../ref-format/listed-ref.ts';
import type { OidAbbreviation } from '../ref-format/oid-abbreviation.ts';

export interface Presentation {
  hashOnly: boolean;
  /** How many digits of an object id to show: 0 for all, `auto` for as many as are needed. */
  digits: number | 'auto';
  dereference: boolean;
  quiet: boolean;
}

/** So many refs are looked at together. */
const CHUNK = 512;

const SPACE = encodeText(' ');
const LINE_FEED = encodeText('\n');
const PEELED_END = encodeText('^{}\n');

export class RefPresenter {
  /** How many refs were shown so far. */
  shown = 0;
  readonly #store: RefStore;
  readonly #objects: ObjectSource | undefined;
  readonly #presentation: Presentation;
  readonly #abbreviation: OidAbbreviation;

  constructor(
    store: RefStore,
    objects: ObjectSource | undefined,
    presentation: Presentation,
    abbreviation: OidAbbreviation,
  ) {
    this.#store = store;
    this.#objects = objects;
    this.#presentation = presentation;
    this.#abbreviation = abbreviation;
  }

  get quiet(): boolean {
    return this.#presentation.quiet;
  }

  /** Shows the refs below `prefix` that are wanted. Dies, in Git's words, at one whose object is missing. */
  async list(refs: RefReader, prefix: string, isWanted: NameTest | undefined): Promise<void> {
    const iterator = refs.refs({ prefix });
    if (iterator instanceof RefIterator && this.#presentation.digits === 0) {
      await this.#listPlainly(refs, iterator, isWanted);
      return;
    }
    let chunk: ListedRef[] = [];
    for (const ref of iterator) {
      const listed = listedRef(refs, ref);
      if (listed === undefined || !isWantedName(isWanted, listed.name)) continue;
      if (chunk.push(listed) < CHUNK) continue;
      await this.show(chunk);
      chunk = [];
    }
    await this.show(chunk);
  }

  /** Shows the refs. Dies, in Git's words, at one whose object is missing. */
  async show(refs: readonly ListedRef[]): Promise<void> {
    const { quiet, hashOnly, dereference } = this.#presentation;
    const findings = await this.#objects?.lookup(refs.map(({ oid }) => oid));
    for (const ref of refs) {
      const finding = findings?.get(ref.oid);
      const name = fromByteText(ref.name);
      if (finding === 'missing') refuse(name, ref.oid);
      this.shown++;
      if (quiet) continue;
      const oid = this.#oidText(ref.oid);
      stdout.write(hashOnly ? `${oid}\n` : `${oid} ${name}\n`);
      if (!dereference) continue;
      const isTag = typeof finding === 'object' && finding.type === 'tag';
      const peeled = ref.peeled ?? (isTag ? await peelTag(this.#objects!, ref.oid) : undefined);
      if (peeled !== undefined) stdout.write(`${this.#oidText(peeled)} ${name}^{}\n`);
    }
  }

  #oidText(oid: string): string {
    const { digits } = this.#presentation;
    if (digits === 0) return oid;
    return this.#abbreviation.of(oid, digits === 'auto' ? undefined : digits);
  }

  async #listPlainly(
    refs: RefReader,
    iterator: RefIterator,
    isWanted: NameTest | undefined,
  ): Promise<void> {
    const { quiet, hashOnly, dereference } = this.#presentation;
    const line: LinePart[] = hashOnly ? ['oid', LINE_FEED] : ['oid', SPACE, 'name', LINE_FEED];
    const peeledLine: LinePart[] = ['oid', SPACE, 'name', PEELED_END];
    const lines = new PlainLines(refs, oidSize(this.#store.objectFormat), {
      line: quiet ? [] : line,
      peeledLine: dereference && !quiet ? peeledLine : undefined,
      objects: this.#objects,
      isWanted,
      refuse,
    });
    await lines.write(iterator);
    this.shown += lines.written;
  }
}

function refuse(name: string, oid: string): never {
  die(`git show-ref: bad ref ${name} (${oid})`);
}
