/** The API keys of the server, for callers of scope admin. */
import { plain } from './json.ts';
import { type Request, send } from './request.ts';

export type ApiKey = {
  readonly id: string;
  readonly name: string;
  /** Null for a key with a role. */
  readonly scope: 'read' | 'write' | 'admin' | null;
  /** Null for all, and with a role. */
  readonly collections: readonly string[] | null;
  /** Null for a key with a scope. */
  readonly role: string | null;
  readonly claims: Claims | null;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** To about a minute. */
  readonly last_used_at: string | null;
};

export type Claims = Readonly<Record<string, unknown>>;
export type Scope = NonNullable<ApiKey['scope']>;

/** Of the configuration file. */
export type Role = {
  readonly name: string;
  /** Requests without a key act in it. */
  readonly is_for_anybody: boolean;
  /** Those that its rules name. */
  readonly claims: readonly string[];
  readonly rights: readonly RoleRight[];
};
export type RoleRight = {
  readonly collection: string;
  readonly operation: string;
  readonly where: object | null;
  readonly fields: readonly string[] | null;
  readonly set: Claims | null;
  readonly check: object | null;
};

/** A scope, or a role with claims. */
export type Grant = {
  readonly name: string;
  readonly scope?: Scope;
  readonly role?: string;
  readonly claims?: Claims;
  readonly collections?: readonly string[];
  readonly expires_at?: string;
};

export const listing = { path: '/api/v2/keys' };
export const creation = (grant: Grant): Request & { readonly body: string } => ({
  method: 'POST',
  path: listing.path,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(grant),
});

/** The oldest first. */
export async function listKeys(signal: AbortSignal): Promise<readonly ApiKey[]> {
  return (plain(await send({ ...listing, signal })) as { readonly data: readonly ApiKey[] }).data;
}

/** In the order of the file. */
export async function listRoles(signal: AbortSignal): Promise<readonly Role[]> {
  return (plain(await send({ path: `${listing.path}/roles`, signal })) as { readonly data: readonly Role[] }).data;
}

/** Returns the key itself, which the server shows this once. */
export async function createKey(grant: Grant): Promise<string> {
  return (plain(await send(creation(grant))) as { readonly key: string }).key;
}

export async function revokeKey(id: string): Promise<void> {
  await send({ method: 'DELETE', path: `${listing.path}/${encodeURIComponent(id)}` });
}
