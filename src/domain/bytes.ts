/** Bytes that are never changed once they are handed out. */
export type Bytes = Uint8Array<ArrayBuffer>;
