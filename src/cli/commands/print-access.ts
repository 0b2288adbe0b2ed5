/** `shelf access`: what a role may do, as a table. */

import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { claimsNamed, type RightsRow, rightsTable } from '../../domain/access/rights-table.ts';
import { callerPrefix, claimAt } from '../../domain/access/variables.ts';
import type { Claims } from '../../domain/caller.ts';
import { StartError } from '../../domain/errors.ts';
import { printable } from '../../domain/input/printable.ts';
import { similar } from '../../domain/input/suggest.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { plainJson } from '../../domain/record/plain-data.ts';

/** Throws a StartError for a role that the file does not have. */
export function requireRole(role: string, access: AccessDeclaration | undefined): AccessDeclaration {
  if (access === undefined)
    throw new StartError('The configuration file has no roles: add "roles", and "access" to collections.');
  if (Object.hasOwn(access.roles, role)) return access;
  const roles = Object.keys(access.roles);
  throw new StartError(
    `There is no role ${JSON.stringify(role)}${similar(role, roles) ?? `; known roles: ${roles.join(', ')}.`}`,
  );
}

/** Variables in the rules have their values where the claims are given. */
export function accessTable(
  declared: AccessDeclaration,
  role: string,
  claims: Claims,
  collections: readonly Collection[],
): string {
  const rows = rightsTable(declared, role, collections);
  if (rows.length === 0) return `The role ${role} may do nothing: no collection has a rule for it.\n`;
  const lacking = claimsNamed(declared, role).filter((name) => claimAt(claims, name) === undefined);
  const note =
    lacking.length === 0
      ? ''
      : `\nWithout ${lacking.map((name) => `--claim ${name}`).join(' and ')}, a rule that names it never holds.\n`;
  return `${aligned([['COLLECTION', 'OPERATION', 'RECORDS', 'FIELDS'], ...rows.map((row) => cellsOf(row, claims))])}${note}`;
}

function cellsOf({ collection, operation, where, fields, set = {}, check }: RightsRow, claims: Claims): string[] {
  const shown = (plain: unknown) => printable(plainJson(withClaims(plain, claims)));
  const records = [
    ...(operation === 'create' ? [] : [where === undefined ? 'all' : shown(where)]),
    ...(check === undefined ? [] : [`after it ${shown(check)}`]),
  ];
  const setTexts = Object.entries(set).map(([key, value]) => `${key}=${shown(value)}`);
  const texts = [...(fields ?? []), ...setTexts];
  return [collection, operation, records.join(', ') || '-', texts.join(' ') || '-'];
}

/** A claim that is not given stays as it is written. */
function withClaims(plain: unknown, claims: Claims): unknown {
  if (typeof plain === 'string' && plain.startsWith(callerPrefix))
    return claimAt(claims, plain.slice(callerPrefix.length)) ?? plain;
  if (Array.isArray(plain)) return plain.map((one) => withClaims(one, claims));
  if (typeof plain !== 'object' || plain === null) return plain;
  return Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, withClaims(value, claims)]));
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
