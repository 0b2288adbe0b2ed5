/** The API keys of the server, for callers of scope admin. */
import { plain } from './json.ts';
import { type Request, send } from './request.ts';

export type ApiKey = {
  readonly id: string;
  readonly name: string;
  readonly scope: 'read' | 'write' | 'admin';
  /** Null for all. */
  readonly collections: readonly string[] | null;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** To about a minute. */
  readonly last_used_at: string | null;
};

export type Grant = {
  readonly name: string;
  readonly scope: ApiKey['scope'];
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

/** Returns the key itself, which the server shows this once. */
export async function createKey(grant: Grant): Promise<string> {
  return (plain(await send(creation(grant))) as { readonly key: string }).key;
}

export async function revokeKey(id: string): Promise<void> {
  await send({ method: 'DELETE', path: `${listing.path}/${encodeURIComponent(id)}` });
}
