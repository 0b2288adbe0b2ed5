/** Roles, and what each may do with the records of each collection, as plain data: as they are written in the configuration file. */
import type { Plain } from '../record/declaration.ts';

/** A claim is a member of a token, or of an API key; a path names one within another: `realm_access.roles`. */
export type RoleSource =
  | 'anybody'
  | { readonly claim: string }
  | { readonly claim: string; readonly equals: Plain }
  /** A list, or words separated by spaces, with this value. */
  | { readonly claim: string; readonly has: Plain };

export type RoleDeclaration = { readonly from: RoleSource };

/** A text in `where`, `set` and `check` that begins with `$` is a value of the request: `$caller.sub`, `$caller.CLAIM`, `$now` or `$today`. */
export type ReadRule = { readonly where?: Plain; readonly fields?: readonly string[] };
export type DeleteRule = { readonly where?: Plain };
export type CreateRule = {
  readonly fields?: readonly string[];
  readonly set?: Readonly<Record<string, Plain>>;
  /** On the record after the change. */
  readonly check?: Plain;
};
/** `where` is on the record before the change. */
export type UpdateRule = CreateRule & { readonly where?: Plain };

/** `read`: all of it; `write`: every operation on every record. */
export type AccessRule =
  | 'read'
  | 'write'
  | {
      readonly read?: boolean | ReadRule;
      readonly create?: boolean | CreateRule;
      readonly update?: boolean | UpdateRule;
      readonly delete?: boolean | DeleteRule;
    };

/** What no rule allows is refused. A collection without a rule for a role does not exist for it. */
export type AccessDeclaration = {
  /** In the order of the file: a token has the first that holds. */
  readonly roles: Readonly<Record<string, RoleDeclaration>>;
  /** By the name of the collection, then of the role. */
  readonly collections: Readonly<Record<string, Readonly<Record<string, AccessRule>>>>;
};
