/** Rows of the API key table, the same in every engine. */

import type { Claims, Scope } from '../../domain/caller.ts';
import type { ApiKey } from '../../domain/store/api-keys.ts';

export type ApiKeyRow = {
  readonly id: string;
  readonly name: string;
  readonly digest: string;
  /** Null for a key with a role. */
  readonly scope: string | null;
  /** Comma-separated; null for all collections. */
  readonly collections: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
  /** Null for a key with a scope. */
  readonly role: string | null;
  /** A JSON object; null for a key with a scope. */
  readonly claims: string | null;
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
  'role',
  'claims',
] as const satisfies readonly (keyof ApiKeyRow)[];

export function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    digest: row.digest,
    scope: (row.scope ?? undefined) as Scope | undefined,
    ...(row.role === null ? {} : { role: row.role, claims: JSON.parse(row.claims ?? '{}') as Claims }),
    collections: row.collections?.split(','),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

/** Values in column order. */
export function apiKeyRow(key: ApiKey) {
  const { id, name, digest, scope, collections, createdAt, expiresAt, revokedAt, lastUsedAt, role, claims = {} } = key;
  return [
    id,
    name,
    digest,
    scope ?? null,
    collections?.join() ?? null,
    createdAt,
    expiresAt ?? null,
    revokedAt ?? null,
    lastUsedAt ?? null,
    role ?? null,
    role === undefined ? null : JSON.stringify(claims),
  ] as const;
}
