/** Immutable once handed out. */
export type Bytes = Uint8Array<ArrayBuffer>;
