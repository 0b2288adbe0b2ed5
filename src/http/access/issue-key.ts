/** Makes API keys. The key itself is returned once, and only its digest is stored. */
import type { ApiKey, Grant } from '../../domain/store/api-keys.ts';
import { digestOf } from './auth.ts';

/** Makes a key recognisable, for example to a scanner for leaked secrets. */
export const keyPrefix = 'shelf_';

/** `secret` is the key that its owner sends. */
export function issueKey(grant: Grant, now: Date): { readonly key: ApiKey; readonly secret: string } {
  const secret = `${keyPrefix}${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`;
  const key = {
    ...grant,
    id: Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString('hex'),
    digest: digestOf(secret),
    createdAt: now.toISOString(),
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  return { key, secret };
}
