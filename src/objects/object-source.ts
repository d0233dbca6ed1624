// What refs point at, as far as a ref store has to know: the port through which it asks whether an object
// exists, of which type it is, and what a tag or a commit says.

export type ObjectType = 'blob' | 'commit' | 'tag' | 'tree';

/** What stands in front of an object's content. */
export interface ObjectHeader {
  readonly type: ObjectType;
  /** Of the content, bytes. */
  readonly size: number;
}

/**
 * What is known of an object: what it is, that there is none, or nothing at all, because it may lie where the
 * source cannot look (on another machine, where a partial clone was made).
 */
export type ObjectFinding = ObjectHeader | 'missing' | 'unknown';

export interface GitObject {
  readonly type: ObjectType;
  readonly content: Uint8Array;
}

/** A repository's own objects are read at once; those that come from elsewhere may take their time. */
export type Awaitable<T> = T | Promise<T>;

/** Objects by their ids, which are lower-case hex. */
export interface ObjectSource {
  /** What is known of each of these objects; an id that stands there twice is looked up once. */
  lookup(oids: readonly string[]): Promise<ReadonlyMap<string, ObjectFinding>>;
  /** The whole object; `undefined` if it is missing or cannot be read. `lookup` tells which. */
  read(oid: string): Awaitable<GitObject | undefined>;
}
