/** API keys as they are kept: never the key itself, only its digest. */
import type { Scope } from './caller.ts';
import type { Soon } from './soon.ts';

export type Grant = {
  readonly name: string;
  readonly scope: Scope;
  /** Undefined where it is all of them. */
  readonly collections: readonly string[] | undefined;
  /** UTC, with milliseconds, as all times; undefined for never. */
  readonly expiresAt: string | undefined;
};

export type ApiKey = Grant & {
  readonly id: string;
  /** SHA-256 of the key, in hex. */
  readonly digest: string;
  readonly createdAt: string;
  readonly revokedAt: string | undefined;
};

export interface ApiKeys {
  /** The key with this digest, as it stands at this moment in the database, whoever has changed it. */
  find(digest: string): Soon<ApiKey | undefined>;
  /** False where there is one of this name that still counts. */
  add(key: ApiKey): Promise<boolean>;
  /** All there ever were, the oldest first. */
  list(): Promise<ApiKey[]>;
  /** By its id or its name; false where there is none that still counts. */
  revoke(idOrName: string, at: string): Promise<boolean>;
}

export function counts({ revokedAt, expiresAt }: ApiKey, now: string): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}
