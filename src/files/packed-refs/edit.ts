// A change of one ref in `packed-refs`.

/** Sets a ref, or removes it where `oid` is undefined. */
export interface PackedRefEdit {
  readonly name: string;
  /** Lower-case hex. */
  readonly oid: string | undefined;
  /** What an annotated tag points at; lower-case hex. */
  readonly peeled?: string | undefined;
}
