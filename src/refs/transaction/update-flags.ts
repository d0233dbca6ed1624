// What is asked for of one entry of an update batch, and what is known of it, as bits of one number.

/** The update writes the ref, or deletes it; one that does neither only verifies. */
export const WRITES = 1;
/** What is written is "no ref". */
export const DELETES = 2;
/** What is written is a symref; its target is in `targets`. */
export const SETS_TARGET = 4;
/** The ref has to hold the old object id. */
export const EXPECTS_OID = 8;
/** There must be no such ref: the old object id is all zeros. */
export const EXPECTS_NONE = 16;
/** The ref has to be a symref to the old target in `targets`. */
export const EXPECTS_TARGET = 32;
/** The update goes to the ref that a symref names. */
export const DEREF = 64;
/** Only the reflog is written: the ref itself is changed by another entry, or stays. */
export const LOG_ONLY = 128;
/** Came about because `HEAD`, which was updated, names this ref. */
export const VIA_HEAD = 256;
/** A ref below this name may exist, or be in the transaction: only then is it looked for. */
export const CROWDED = 512;
/** The name is in another folder than the one before it. */
export const NEW_FOLDER = 1024;
/** Starts no reflog, whatever the transaction asks for: it came as a `delete`. */
export const STARTS_NO_LOG = 2048;
/** Came as a `create`, which names no old value. */
export const CREATES = 4096;
