/** The caller of a request, and its permissions. */

/** Each scope includes the ones before it. */
export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** What is known of a caller: the members of the payload of a token, verified, or those that an API key was made with. Of any type. */
export type Claims = Readonly<Record<string, unknown>>;

export type Caller = {
  /** The same on every request; contains no space. */
  readonly id: string;
  /** For the log and for changes. That of a token begins with `jwt:` or `oidc:`, as no name of an API key does. */
  readonly name: string;
  /** Undefined for a caller with a role, whose rights are the rules of the configuration file. */
  readonly scope: Scope | undefined;
  /** One of the configuration file. Absent for a caller with a scope. */
  readonly role?: string;
  /** Undefined for all collections, and with a role. */
  readonly collections: readonly string[] | undefined;
  /** When the caller's key or token expires, in milliseconds since 1970; absent if it never does. */
  readonly expiresAt?: number;
  /** For a token, which is not stored; absent for an API key, which is looked up. */
  readonly isToken?: true;
  /** Absent for an API key with a scope. */
  readonly claims?: Claims;
};

/** The caller where no authentication is required. */
export const anybody: Caller = { id: '', name: '', scope: 'admin', collections: undefined };

/** The name to record with a change; undefined where no authentication is required. */
export function authorOf({ name }: Caller): string | undefined {
  return name === '' ? undefined : name;
}

/** By its scope; false for a caller with a role. `collection` is undefined for an operation on all collections. */
export function may(caller: Caller, needed: Scope, collection: string | undefined): boolean {
  if (caller.scope === undefined || scopes.indexOf(caller.scope) < scopes.indexOf(needed)) return false;
  return caller.collections === undefined || (collection !== undefined && caller.collections.includes(collection));
}
