/** Rows of the API key table, the same in every engine. */

import type { Scope } from '../../domain/caller.ts';
import type { ApiKey } from '../../domain/store/api-keys.ts';

export type ApiKeyRow = {
  readonly id: string;
  readonly name: string;
  readonly digest: string;
  readonly scope: string;
  /** Comma-separated; null for all collections. */
  readonly collections: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
};

export const apiKeyColumns = [
  'id',
  'name',
  'digest',
  'scope',
  'collections',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const satisfies readonly (keyof ApiKeyRow)[];

export function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    digest: row.digest,
    scope: row.scope as Scope,
    collections: row.collections?.split(','),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

/** Values in column order. */
export function apiKeyRow(key: ApiKey) {
  const { id, name, digest, scope, collections, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  return [
    id,
    name,
    digest,
    scope,
    collections?.join() ?? null,
    createdAt,
    expiresAt ?? null,
    revokedAt ?? null,
    lastUsedAt ?? null,
  ] as const;
}
