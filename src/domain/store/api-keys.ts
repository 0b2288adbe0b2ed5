/** API keys as stored: the digest, never the key itself. */
import type { Claims, Scope } from '../caller.ts';
import type { Soon } from '../soon.ts';

export type Grant = {
  readonly name: string;
  /** Undefined for a key with a role. */
  readonly scope: Scope | undefined;
  /** Absent for a key with a scope. */
  readonly role?: string;
  /** Of a key with a role. */
  readonly claims?: Claims;
  /** Undefined for all collections. */
  readonly collections: readonly string[] | undefined;
  /** UTC with milliseconds, like all times; undefined if the key never expires. */
  readonly expiresAt: string | undefined;
};

export type ApiKey = Grant & {
  readonly id: string;
  /** SHA-256 of the key, in hex. */
  readonly digest: string;
  readonly createdAt: string;
  readonly revokedAt: string | undefined;
  /** To about a minute; undefined if it never was. */
  readonly lastUsedAt: string | undefined;
};

/** At most one key of a name is active. */
export const keyNamePattern = '^[A-Za-z0-9_.-]{1,64}$';

/** A valid key was sent at this time. */
export type KeyUse = { readonly digest: string; readonly at: string };

export interface ApiKeys {
  /** Read from the database at each call, because another process may have changed the key. */
  find(digest: string): Soon<ApiKey | undefined>;
  /** False if another key of this name is not revoked. */
  add(key: ApiKey): Promise<boolean>;
  /** Every key ever added, oldest first. */
  list(): Promise<ApiKey[]>;
  /** False if no key with this id or name is left to revoke. */
  revoke(idOrName: string, at: string): Promise<boolean>;
  /** Stores when keys were last used; an earlier use than the stored one changes nothing. */
  used(uses: readonly KeyUse[]): Promise<void>;
}

export const states = ['active', 'expired', 'revoked'] as const;

export function stateOf({ revokedAt, expiresAt }: ApiKey, now: string): (typeof states)[number] {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt === undefined || expiresAt > now ? 'active' : 'expired';
}

/** Whether the key is valid: neither revoked nor expired. */
export function isActive(key: ApiKey, now: string): boolean {
  return stateOf(key, now) === 'active';
}
