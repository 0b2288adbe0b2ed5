/** Checks the roles and rules of a configuration file: every mistake at once, each with its path. */

import { claimsIn } from '../../domain/access/claims.ts';
import type { AccessDeclaration, AccessRule } from '../../domain/access/declaration.ts';
import { isObject } from '../../domain/input/json.ts';
import { suggestion } from '../../domain/input/suggest.ts';
import type { Declarations, Plain } from '../../domain/record/declaration.ts';
import { type Mistakes, pathTo, shown } from '../mistakes.ts';
import { readRoles } from './check-roles.ts';
import { checkRule } from './check-rule.ts';
import { leadsTo, type Reader, readerOf, wayBack } from './reader.ts';
import { type Subjects, subjectsOf } from './subjects.ts';

/** The rules of one collection: by role, as they stand in the file. */
export type GivenRules = { readonly collection: string; readonly value: unknown; readonly path: string };

export type ReadAccess = {
  /** Undefined if the file has neither roles nor rules. Of use only if there is no mistake. */
  readonly access: AccessDeclaration | undefined;
  /** Each is a line for the operator. */
  readonly warnings: readonly string[];
};

/** `declarations` are those of all collections that are served. A field with a mistake of its own is not among them. */
export function readAccess(
  roles: unknown,
  given: readonly GivenRules[],
  declarations: Declarations,
  mistakes: Mistakes,
): ReadAccess {
  if (roles === undefined && given.length === 0) return { access: undefined, warnings: [] };
  const known = readRoles(roles, mistakes);
  const subjects = subjectsOf(declarations);
  const readers = readersOf(given, subjects);
  const collections: Record<string, Readonly<Record<string, AccessRule>>> = {};
  const conditions: Reading[] = [];
  for (const { collection, value, path } of given) {
    if (!isObject(value)) {
      mistakes.add(path, `must be an object with a rule for each role, not ${shown(value)}`);
      continue;
    }
    for (const [role, rule] of Object.entries(value)) {
      const place = pathTo(path, role);
      if (!Object.hasOwn(known, role))
        mistakes.add(place, `there is no role ${shown(role)}${suggestion(role, Object.keys(known))}`);
      const [subject, reader] = [subjects.get(collection), readers.get(role)];
      if (subject === undefined || reader === undefined) continue;
      const where = checkRule(rule, { subject, subjects, reader }, place, mistakes) ?? [];
      conditions.push({ role, collection, leads: leadsTo(where), path: place });
    }
    collections[collection] = value as Readonly<Record<string, AccessRule>>;
  }
  checkWays(conditions, mistakes);
  const access = { roles: known, collections };
  return { access, warnings: mistakes.all.length > 0 ? [] : warningsOf(access, given) };
}

function readersOf(given: readonly GivenRules[], subjects: Subjects): ReadonlyMap<string, Reader> {
  const roles = new Set(given.flatMap(({ value }) => (isObject(value) ? Object.keys(value) : [])));
  const ruleOf = (role: string) =>
    new Map(given.map(({ collection, value }) => [collection, isObject(value) ? value[role] : undefined] as const));
  return new Map([...roles].map((role) => [role, readerOf(role, ruleOf(role), subjects)]));
}

/** The condition of a role for reading a collection, and the collections that its paths lead to. */
type Reading = {
  readonly role: string;
  readonly collection: string;
  readonly leads: readonly string[];
  readonly path: string;
};

/** Which records a role may read must not depend on which of the same records it may read. */
function checkWays(readings: readonly Reading[], mistakes: Mistakes): void {
  for (const [role, own] of Map.groupBy(readings, (one) => one.role)) {
    const leads = new Map(own.map((one) => [one.collection, one.leads]));
    for (const { collection, path } of own) {
      const way = wayBack(collection, leads);
      if (way === undefined) continue;
      const through = way.length === 0 ? '' : `, by the rules for ${way.join(' and ')}`;
      mistakes.add(
        `${path}.read.where`,
        `has a path that leads back to ${collection}${through}: which records the role ${role} may read would depend on itself`,
      );
    }
  }
}

/** A claim that no role is made from may be a misspelled one: its rule would never hold. */
function warningsOf({ roles }: AccessDeclaration, given: readonly GivenRules[]): string[] {
  const named = new Set(Object.values(roles).flatMap(({ from }) => (from === 'anybody' ? [] : [from.claim])));
  return given.flatMap(({ value, path }) =>
    claimsIn(value as Plain)
      .filter((claim) => claim !== 'sub' && !named.has(claim))
      .map(
        (claim) =>
          `Warning: ${path} has $caller.${claim}, and no role is "from" this claim: a rule with a claim that the caller lacks never holds.`,
      ),
  );
}
