// The key of the record that was added last: the next one has to come after it, and leaves out what the two
// have in common.

export class LastKey {
  private bytes = new Uint8Array(256);
  private length = 0;

  /**
   * How many bytes the key `keys[start, start + length)` has in common with the last one; -1 if it does not
   * come after it. `known` is what is known of the answer, -1 for nothing.
   */
  sharedWith(keys: Uint8Array, start: number, length: number, known: number): number {
    const { bytes } = this;
    const longest = Math.min(length, this.length);
    let shared = known;
    if (known < 0 || known > longest) {
      shared = 0;
      while (shared < longest && keys[start + shared] === bytes[shared]) shared++;
    }
    const ascends = shared < longest ? keys[start + shared]! > bytes[shared]! : shared < length;
    return ascends ? shared : -1;
  }

  /** Makes a key the last one, of which the first `shared` bytes are there already. */
  remember(keys: Uint8Array, start: number, length: number, shared: number): void {
    if (length > this.bytes.length) {
      const longer = new Uint8Array(2 * length);
      longer.set(this.bytes);
      this.bytes = longer;
    }
    const { bytes } = this;
    for (let i = shared; i < length; i++) bytes[i] = keys[start + i]!;
    this.length = length;
  }

  /** The next key may be any. */
  forget(): void {
    this.length = 0;
  }

  copy(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }
}
