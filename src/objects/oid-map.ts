// A map from object ids, as bytes, to numbers: millions of them without a string each.

export class OidMap {
  readonly #oidLength: number;
  #count = 0;
  /** Slots are a power of two; slot i's id stands at i times its length. */
  #keys: Uint8Array;
  /** 0 in a free slot. */
  #values: Int32Array;

  constructor(oidLength: number) {
    this.#oidLength = oidLength;
    this.#keys = new Uint8Array(64 * oidLength);
    this.#values = new Int32Array(64);
  }

  /** The value of the id at `at`; 0 if it has none. */
  get(bytes: Uint8Array, at: number): number {
    return this.#values[this.#slot(bytes, at)]!;
  }

  /** `value` is any number of 32 bits but 0. */
  set(bytes: Uint8Array, at: number, value: number): void {
    if (4 * this.#count > 3 * this.#values.length) this.#grow();
    const slot = this.#slot(bytes, at);
    if (this.#values[slot] === 0) {
      this.#count++;
      this.#keys.set(bytes.subarray(at, at + this.#oidLength), slot * this.#oidLength);
    }
    this.#values[slot] = value;
  }

  /** The slot that has the id, or would have it. Ids are hashes: any four of their bytes are one. */
  #slot(bytes: Uint8Array, at: number): number {
    const length = this.#oidLength;
    const mask = this.#values.length - 1;
    let slot =
      (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) & mask;
    while (this.#values[slot] !== 0) {
      const key = slot * length;
      let i = 0;
      while (i < length && this.#keys[key + i] === bytes[at + i]) i++;
      if (i === length) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Uint8Array(2 * keys.length);
    this.#values = new Int32Array(2 * values.length);
    values.forEach((value, i) => {
      if (value === 0) return;
      const slot = this.#slot(keys, i * this.#oidLength);
      this.#keys.set(
        keys.subarray(i * this.#oidLength, (i + 1) * this.#oidLength),
        slot * this.#oidLength,
      );
      this.#values[slot] = value;
    });
  }
}
