/** The caller of a request, and its permissions. */

/** Each scope includes the ones before it. */
export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** What the issuer of a token says about its subject: the members of its payload. Verified, and of any type. */
export type Claims = Readonly<Record<string, unknown>>;

export type Caller = {
  /** The same on every request; contains no space. */
  readonly id: string;
  /** For the log and for changes. That of a token begins with `jwt:` or `oidc:`, as no name of an API key does. */
  readonly name: string;
  readonly scope: Scope;
  /** Undefined for all collections. */
  readonly collections: readonly string[] | undefined;
  /** When the caller's key or token expires, in milliseconds since 1970; absent if it never does. */
  readonly expiresAt?: number;
  /** For a token, which is not stored; absent for an API key, which is looked up. */
  readonly isToken?: true;
  /** Absent for an API key. */
  readonly claims?: Claims;
};

/** The caller where no authentication is required. */
export const anybody: Caller = { id: '', name: '', scope: 'admin', collections: undefined };

/** The name to record with a change; undefined where no authentication is required. */
export function authorOf({ name }: Caller): string | undefined {
  return name === '' ? undefined : name;
}

/** `collection` is undefined for an operation on all collections. */
export function may(caller: Caller, needed: Scope, collection: string | undefined): boolean {
  if (scopes.indexOf(caller.scope) < scopes.indexOf(needed)) return false;
  return caller.collections === undefined || (collection !== undefined && caller.collections.includes(collection));
}
