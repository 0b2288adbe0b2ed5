/** Rows of the table of API keys, as every engine keeps them. */
import type { Scope } from '../../domain/caller.ts';
import type { Key } from '../../domain/keys.ts';

export type KeyRow = {
  readonly id: string;
  readonly name: string;
  readonly digest: string;
  readonly scope: string;
  /** Separated by commas. */
  readonly collections: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
};

export function keyOf(row: KeyRow): Key {
  return {
    id: row.id,
    name: row.name,
    digest: row.digest,
    scope: row.scope as Scope,
    collections: row.collections?.split(','),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}

/** In the order of the columns. */
export function rowOf({ id, name, digest, scope, collections, createdAt, expiresAt, revokedAt }: Key) {
  return [
    id,
    name,
    digest,
    scope,
    collections?.join() ?? null,
    createdAt,
    expiresAt ?? null,
    revokedAt ?? null,
  ] as const;
}
