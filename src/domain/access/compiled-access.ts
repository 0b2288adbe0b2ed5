/** The roles and rules of the configuration file, compiled at the start, and bound to the values of a request. */
import type { Caller } from '../caller.ts';
import type { Collection } from '../record/collection.ts';
import { BoundAccess } from './bound-access.ts';
import type { AccessDeclaration, AccessRule } from './declaration.ts';
import type { Rights } from './rights.ts';
import { type CollectionRules, collectionRules, rulesIn } from './role-rules.ts';
import { isClock, requestOf, valueIn, variablesIn } from './variables.ts';
import type { View } from './view.ts';

export type CompiledAccess = {
  readonly roles: readonly string[];
  /** Undefined for a caller without a role of the file. `moment` is in milliseconds since 1970. */
  bind(caller: Caller, moment: number): BoundAccess | undefined;
  /** Undefined for a collection that does not exist for the caller. Only for a caller with a role. */
  viewOf(caller: Caller, collection: Pick<Collection, 'name'>, moment: number): View | undefined;
  rightsOf(caller: Caller, collection: Pick<Collection, 'name'>, moment: number): Rights | undefined;
};

type RoleRules = {
  readonly collections: ReadonlyMap<string, CollectionRules>;
  /** Every variable in the rules of the role. */
  readonly variables: readonly string[];
  /** By the values of the variables. */
  readonly bound: Map<string, BoundAccess>;
};

/** Roles with values that are kept compiled, for each role. */
const maxBound = 1000;

/** For a declaration without mistakes. */
export function compileAccess(
  { roles, collections: declared }: AccessDeclaration,
  collections: readonly Collection[],
): CompiledAccess {
  const byRole = new Map(Object.keys(roles).map((role) => [role, rulesOf(role, declared, collections)]));

  function bind(caller: Caller, moment: number): BoundAccess | undefined {
    const { role } = caller;
    const rules = role === undefined ? undefined : byRole.get(role);
    if (role === undefined || rules === undefined) return undefined;
    const request = requestOf(caller, moment);
    const valuesOf = (variables: readonly string[]) =>
      JSON.stringify(variables.map((variable) => valueIn(variable, request) ?? null));
    const values = valuesOf(rules.variables);
    const known = rules.bound.get(values);
    if (known !== undefined) return known;
    const key = `${role} ${valuesOf(rules.variables.filter((variable) => !isClock(variable)))}`;
    const access = new BoundAccess(role, rules.collections, request, key);
    if (rules.bound.size >= maxBound) rules.bound.clear();
    rules.bound.set(values, access);
    return access;
  }

  return {
    roles: [...byRole.keys()],
    bind,
    viewOf: (caller, collection, moment) => bind(caller, moment)?.viewOf(collection),
    rightsOf: (caller, collection, moment) => bind(caller, moment)?.rightsOf(collection),
  };
}

function rulesOf(
  role: string,
  declared: AccessDeclaration['collections'],
  collections: readonly Collection[],
): RoleRules {
  const ruleOf = (name: string): AccessRule | undefined => {
    const rules = Object.hasOwn(declared, name) ? declared[name] : undefined;
    return rules !== undefined && Object.hasOwn(rules, role) ? rules[role] : undefined;
  };
  const mayRead = (name: string) => {
    const rule = ruleOf(name);
    return rule !== undefined && rulesIn(rule).read !== undefined;
  };
  const own = collections.flatMap((collection) => {
    const rule = ruleOf(collection.name);
    return rule === undefined || !isAllowed(rule) ? [] : [{ collection, rule }];
  });
  const rules = own.map(({ collection, rule }) => collectionRules(collection, rule, mayRead));
  return {
    collections: new Map(rules.map((one) => [one.stored.name, one])),
    variables: [...new Set(own.flatMap(({ rule }) => variablesIn(rule)))].sort(),
    bound: new Map(),
  };
}

/** A rule that allows nothing is none. */
function isAllowed(rule: AccessRule): boolean {
  return Object.values(rulesIn(rule)).some((one) => one !== undefined);
}
