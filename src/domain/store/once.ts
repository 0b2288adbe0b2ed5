/**
 * An idempotency key, a digest of the request that it came with, and the TTL of such keys in milliseconds. `former` is the digest that versions up to 0.5
 * stored for the request: it is compared, too, and never stored. Remove it with 0.7, when the keys of those versions have expired.
 */
export type Once = {
  readonly key: string;
  readonly digest: string;
  readonly former: string;
  readonly keptMs: number;
};
