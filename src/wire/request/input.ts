/** Bytes as received from a socket. */
export type Input = Buffer<ArrayBuffer>;

export const noInput: Input = Buffer.alloc(0);
