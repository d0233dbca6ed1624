// What a disk may hold after a crash. Of changes that were not synced, each may have reached the disk or not, in any
// order; POSIX promises no more, and the explorer finds what trusts more:
//
//   a file      what was synced is there; of what was written since: nothing, the first half, the second half behind
//               zeros, zeros alone, or all
//   a folder    its entries at the last sync, and any of the creations, links, renames and removals since. A rename
//               is done or not, never half

import { createHash } from 'node:crypto';
import { type Change, parentOf, type StoredFile } from './memory-file-system.ts';

/** A state of the disk. */
export interface CrashState {
  /** By their paths. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The same for the same files with the same contents. */
  readonly key: string;
  /** How it differs from what the processes saw, a line each. */
  lost(): string[];
}

/** One content that a file may have after a crash. */
interface Content {
  readonly bytes: Uint8Array;
  readonly hash: string;
  /** What is missing, `undefined` if nothing is. */
  readonly lost: string | undefined;
}

/** For each selection of names, at least so many selections of contents. */
const FEWEST_CONTENTS = 6;

class DiskFile {
  #bytes: Uint8Array;
  #synced: number;
  #contents: readonly Content[] | undefined;

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.#bytes = bytes;
    this.#synced = bytes.length;
  }

  write(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    this.#contents = undefined;
  }

  sync(): void {
    this.#synced = this.#bytes.length;
    this.#contents = undefined;
  }

  /** What may be found; the first is all that was written. */
  get contents(): readonly Content[] {
    this.#contents ??= this.#possibleContents();
    return this.#contents;
  }

  #possibleContents(): Content[] {
    const all = this.#bytes;
    const contents = [content(all, undefined)];
    const count = all.length - this.#synced;
    if (count === 0) return contents;
    const half = this.#synced + (count >> 1);
    contents.push(content(all.subarray(0, this.#synced), `its last ${count} bytes`));
    contents.push(content(withZeros(all, this.#synced, all.length), 'zeros for what was written'));
    if (count > 1) {
      contents.push(content(all.subarray(0, half), `its last ${all.length - half} bytes`));
      contents.push(content(withZeros(all, this.#synced, half), 'zeros for a part'));
    }
    return contents;
  }
}

/** The disk, as change after change is made. */
export class CrashingDisk {
  readonly #files = new Map<number, DiskFile>();
  /** What a crash cannot take any more: files by path. */
  readonly #durable = new Map<string, number>();
  /** Changes of names since the last sync of their folder. */
  #pending: Change[] = [];

  /** All of `files` are durable. */
  constructor(files: ReadonlyMap<string, StoredFile>) {
    for (const [path, { id, bytes }] of files) {
      this.#files.set(id, new DiskFile(bytes));
      this.#durable.set(path, id);
    }
  }

  apply(change: Change): void {
    switch (change.type) {
      case 'write':
        this.#files.get(change.file)!.write(change.bytes);
        return;
      case 'sync':
        this.#files.get(change.file)!.sync();
        return;
      case 'sync folder':
        this.#syncFolder(change.path);
        return;
      case 'create':
        this.#files.set(change.file, new DiskFile());
    }
    this.#pending.push(change);
  }

  /** What the processes see. */
  current(): CrashState {
    const names = this.#names(() => true);
    return this.#state(names, [], new Map());
  }

  /**
   * What may be left, no state twice; where there are more than `limit`, some of them, as `random` (numbers in
   * [0, 1)) chooses.
   */
  *states(limit: number, random: () => number): Generator<CrashState> {
    const seen = new Set<string>();
    const count = this.#pending.length;
    // Some contents of each selection of names, rather than all of a few.
    const contents = Math.max(FEWEST_CONTENTS, Math.ceil(limit / 2 ** count));
    for (const reached of subsets(count, limit, random)) {
      const names = this.#names((index) => reached[index]!);
      const lost = this.#pending.filter((_, index) => !reached[index]);
      for (const chosen of this.#choices(new Set(names.values()), contents, random)) {
        const state = this.#state(names, lost, chosen);
        if (seen.has(state.key)) continue;
        seen.add(state.key);
        yield state;
        if (seen.size >= limit) return;
      }
    }
  }

  #syncFolder(path: string): void {
    const isIn = (each: Change) =>
      parentOf(each.path) === path || (each.type === 'rename' && parentOf(each.to) === path);
    for (const change of this.#pending) if (isIn(change)) applyTo(this.#durable, change);
    this.#pending = this.#pending.filter((change) => !isIn(change));
  }

  #names(isReached: (index: number) => boolean): Map<string, number> {
    const names = new Map(this.#durable);
    for (const [index, change] of this.#pending.entries()) {
      if (isReached(index)) applyTo(names, change);
    }
    return names;
  }

  /** Which content each file has; files that are not there have their first. */
  *#choices(files: ReadonlySet<number>, limit: number, random: () => number) {
    const torn = [...files].filter((id) => this.#files.get(id)!.contents.length > 1);
    const counts = torn.map((id) => this.#files.get(id)!.contents.length);
    const total = counts.reduce((product, count) => product * count, 1);
    for (let index = 0; index < Math.min(total, limit); index++) {
      let rest = total > limit ? Math.floor(random() * total) : index;
      const chosen = new Map<number, number>();
      for (const [i, id] of torn.entries()) {
        chosen.set(id, rest % counts[i]!);
        rest = Math.floor(rest / counts[i]!);
      }
      yield chosen;
    }
  }

  #state(
    names: ReadonlyMap<string, number>,
    lost: readonly Change[],
    chosen: ReadonlyMap<number, number>,
  ): CrashState {
    const hash = createHash('sha1');
    const files = new Map<string, Uint8Array>();
    const contentOf = (id: number) => this.#files.get(id)!.contents[chosen.get(id) ?? 0]!;
    for (const path of [...names.keys()].sort()) {
      const found = contentOf(names.get(path)!);
      files.set(path, found.bytes);
      hash.update(`${path}\0${found.hash}\0`);
    }
    return {
      files,
      key: hash.digest('base64'),
      lost: () => [
        ...lost.map(describeChange),
        ...[...names].flatMap(([path, id]) => {
          const missing = contentOf(id).lost;
          return missing === undefined ? [] : [`of ${path}: ${missing}`];
        }),
      ],
    };
  }
}

/** A change in words: `rename tables.list.temp.abc → tables.list`. */
export function describeChange(change: Change): string {
  if (change.type === 'rename') return `rename ${change.path} → ${change.to}`;
  if (change.type === 'write') return `write ${change.bytes.length} bytes to ${change.path}`;
  return `${change.type} ${change.path}`;
}

function applyTo(names: Map<string, number>, change: Change): void {
  switch (change.type) {
    case 'create':
    case 'link':
      names.set(change.path, change.file);
      break;
    case 'rename':
      // If it has another file by now, that one was named later, and stays.
      if (names.get(change.path) === change.file) names.delete(change.path);
      names.set(change.to, change.file);
      break;
    case 'unlink':
      if (names.get(change.path) === change.file) names.delete(change.path);
  }
}

/** Which of `count` things are there: all, none, and then any, at most `limit` times. */
function* subsets(count: number, limit: number, random: () => number): Generator<boolean[]> {
  yield Array.from({ length: count }, () => true);
  if (count === 0) return;
  yield Array.from({ length: count }, () => false);
  const total = 2 ** count;
  const isAll = total <= limit;
  for (let index = 1; index < Math.min(total - 1, limit); index++) {
    const bits = isAll ? index : Math.floor(random() * total);
    yield Array.from({ length: count }, (_, bit) => Math.floor(bits / 2 ** bit) % 2 === 1);
  }
}

function content(bytes: Uint8Array, lost: string | undefined): Content {
  return { bytes, hash: createHash('sha1').update(bytes).digest('base64'), lost };
}

function withZeros(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy.fill(0, start, end);
  return copy;
}
