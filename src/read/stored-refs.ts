// What the two backends answer here: the refs of one folder, as they are stored.

/** A ref as it is stored: an object id, or the name of another ref. */
export interface StoredRef {
  readonly name: string;
  /** Hex. */
  readonly oid?: string | undefined;
  /** Hex: what an annotated tag comes down to, where it is stored with the ref. */
  readonly peeled?: string | undefined;
  readonly target?: string | undefined;
}

export interface StoredRefs {
  /** `undefined` if there is no such ref. Throws where what is stored is damaged. */
  read(name: string): StoredRef | undefined;
  /** The refs whose names begin with `prefix`, which ends with a slash, in byte order. */
  list(prefix: string): Iterable<StoredRef>;
  /** Whether `ref.peeled` is all there is to know; else the object has to be looked at. */
  isPeeled(ref: StoredRef): boolean;
  close(): void;
}
