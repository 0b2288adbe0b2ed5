/** Bytes as they arrive. */
export type Input = Buffer<ArrayBuffer>;

export const noInput: Input = Buffer.alloc(0);
