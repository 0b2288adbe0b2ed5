/** Values of the request in rules: texts that begin with a dollar sign. */
import type { Caller, Claims } from '../caller.ts';
import type { Plain } from '../record/declaration.ts';

/** The values of a request. `now` is UTC with milliseconds. */
export type Request = { readonly claims: Claims; readonly now: string };

export const callerPrefix = '$caller.';

/** The time of the request: the same caller has another one in its next request. */
export function isClock(variable: string): boolean {
  return variable === '$now' || variable === '$today';
}

export function isVariable(plain: unknown): plain is string {
  return typeof plain === 'string' && plain.startsWith('$');
}

/** Every variable in a rule, however deep. */
export function variablesIn(plain: Plain | undefined): readonly string[] {
  if (isVariable(plain)) return [plain];
  if (Array.isArray(plain)) return plain.flatMap(variablesIn);
  return typeof plain === 'object' && plain !== null ? Object.values(plain).flatMap(variablesIn) : [];
}

export function requestOf({ claims = {} }: Caller, moment: number): Request {
  return { claims, now: new Date(moment).toISOString() };
}

/**
 * Undefined if the claim is absent, or is neither a scalar nor a list of them: an object could be read as an operator. Also for an integer that a double
 * does not hold: the digits of the token are lost, and those of another caller may have become the same.
 */
export function valueIn(variable: string, { claims, now }: Request): Plain | undefined {
  if (variable === '$now') return now;
  if (variable === '$today') return now.slice(0, 10);
  if (!variable.startsWith(callerPrefix)) return undefined;
  const claim = claimAt(claims, variable.slice(callerPrefix.length));
  if (Array.isArray(claim)) return claim.every(isScalar) ? claim : undefined;
  return isScalar(claim) ? claim : undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  if (typeof value === 'number') return isExact(value);
  return typeof value === 'string' || typeof value === 'boolean';
}

/** Whether a number is the one that was written. */
export function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

/** A claim by its name, or by a path: `realm_access.roles`. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let found: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || Array.isArray(found) || !Object.hasOwn(found, name))
      return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

/** The rule with the values of the request; undefined if one of them is absent. */
export function bound(plain: Plain, request: Request): Plain | undefined {
  if (isVariable(plain)) return valueIn(plain, request);
  if (Array.isArray(plain)) {
    const all = plain.map((one) => bound(one, request));
    return all.every((one) => one !== undefined) ? all : undefined;
  }
  if (typeof plain !== 'object' || plain === null) return plain;
  const members: [string, Plain][] = [];
  for (const [key, value] of Object.entries(plain)) {
    const one = value === undefined ? undefined : bound(value, request);
    if (value !== undefined && one === undefined) return undefined;
    if (one !== undefined) members.push([key, one]);
  }
  return Object.fromEntries(members);
}
