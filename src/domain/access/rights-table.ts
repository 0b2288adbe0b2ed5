/** What a role may do, as a table: a row for each operation on a collection. */
import type { Claims } from '../caller.ts';
import type { Collection } from '../record/collection.ts';
import type { Plain } from '../record/declaration.ts';
import { claimsIn } from './claims.ts';
import type { AccessDeclaration, UpdateRule } from './declaration.ts';
import { rulesIn } from './role-rules.ts';
import { claimAt } from './variables.ts';

export const operations = ['read', 'create', 'update', 'delete'] as const;
export type Operation = (typeof operations)[number];

export type RightsRow = {
  readonly collection: string;
  readonly operation: Operation;
  /** As in the file; undefined for all records. */
  readonly where: Plain | undefined;
  /** Those that are visible, or that may be sent; undefined for a deletion. */
  readonly fields: readonly string[] | undefined;
  readonly set: Readonly<Record<string, Plain>> | undefined;
  readonly check: Plain | undefined;
};

/** In the order of the collections. What the role may not do has no row. */
export function rightsTable(
  { collections: declared }: AccessDeclaration,
  role: string,
  collections: readonly Collection[],
): readonly RightsRow[] {
  return collections.flatMap((collection) => {
    const rules = Object.hasOwn(declared, collection.name) ? declared[collection.name] : undefined;
    const rule = rules !== undefined && Object.hasOwn(rules, role) ? rules[role] : undefined;
    return operations.flatMap((operation) => {
      const one: UpdateRule | undefined = rule === undefined ? undefined : rulesIn(rule)[operation];
      if (one === undefined) return [];
      const { where, set, check } = one;
      return [
        { collection: collection.name, operation, where, fields: fieldsOf(collection, operation, one), set, check },
      ];
    });
  });
}

/** The server sets id, version and times. The contract's id is visible like the id, and may be sent. */
function fieldsOf(
  { columns, record }: Collection,
  operation: Operation,
  { fields, set = {} }: UpdateRule,
): readonly string[] | undefined {
  if (operation === 'delete') return undefined;
  const isDeclared = (key: string) => Object.hasOwn(record.writable, key) && key !== 'external_id';
  const isAllowed = (key: string) => !isDeclared(key) || fields === undefined || fields.includes(key);
  if (operation === 'read') return [...columns.keys()].filter(isAllowed);
  return Object.keys(record.writable).filter((key) => isAllowed(key) && !Object.hasOwn(set, key));
}

/** The claims that the rules of a role name, in the order in which they are found. */
export function claimsNamed({ collections }: AccessDeclaration, role: string): readonly string[] {
  const rules = Object.values(collections).map((one) => (Object.hasOwn(one, role) ? (one[role] ?? null) : null));
  return claimsIn(rules);
}

/** Those that its rules name, and the caller has. */
export function claimsUsed(declared: AccessDeclaration, role: string, claims: Claims = {}): Claims {
  const named = claimsNamed(declared, role).map((name) => [name, claimAt(claims, name)] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
