// The zlib port: log blocks are stored deflated, and this room does not know Node.

/** A zlib stream inflated, and how many bytes of input it took. */
export interface Inflated {
  bytes: Uint8Array;
  /** Bytes of the input up to the end of the zlib stream. */
  consumed: number;
}

/** Deflates and inflates zlib streams (RFC 1950). */
export interface Compression {
  deflate(bytes: Uint8Array): Uint8Array;
  /**
   * Inflates the zlib stream at the start of `bytes`; what follows it is ignored. Throws when it is not
   * one, when it is cut short, or when it would inflate to more than `limit` bytes.
   */
  inflate(bytes: Uint8Array, limit: number): Inflated;
}
