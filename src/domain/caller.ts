/** Who asks, and what they may. */

/** Each includes those before it. */
export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

export type Caller = {
  /** The same whenever they come; has no space in it. */
  readonly id: string;
  /** For the log. */
  readonly name: string;
  readonly scope: Scope;
  /** Undefined where it is all of them. */
  readonly collections: readonly string[] | undefined;
  /** When their token expires, in milliseconds since 1970; absent of a key, which is looked up. */
  readonly expiresAt?: number;
};

/** Where nobody is asked who they are. */
export const anybody: Caller = { id: '', name: '', scope: 'admin', collections: undefined };

/** `collection` is undefined for what concerns all of them. */
export function may(caller: Caller, needed: Scope, collection: string | undefined): boolean {
  if (scopes.indexOf(caller.scope) < scopes.indexOf(needed)) return false;
  return caller.collections === undefined || (collection !== undefined && caller.collections.includes(collection));
}
