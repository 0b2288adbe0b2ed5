/** Which roles a caller may act in. */
import type { Claims } from '../caller.ts';
import type { Plain } from '../record/declaration.ts';
import type { AccessDeclaration, RoleSource } from './declaration.ts';
import { claimAt, isExact } from './variables.ts';

/** Whether the claims give the role; a claim of another type than the rule compares with does not. */
export function holds(source: RoleSource, claims: Claims = {}): boolean {
  if (source === 'anybody') return true;
  const claim = claimAt(claims, source.claim) ?? undefined;
  if (claim === undefined) return false;
  if ('equals' in source) return claim === source.equals && isCompared(source.equals);
  if (!('has' in source)) return true;
  if (!isCompared(source.has)) return false;
  if (Array.isArray(claim)) return claim.includes(source.has);
  return typeof claim === 'string' && typeof source.has === 'string' && claim.split(' ').includes(source.has);
}

/** No claim has a number that a double does not hold: its digits are lost. */
function isCompared(value: Plain): boolean {
  return typeof value !== 'number' || isExact(value);
}

/** The first role of the file that these claims give. That of anybody is for requests without a key. */
export function roleOfClaims(roles: AccessDeclaration['roles'], claims: Claims | undefined): string | undefined {
  return Object.keys(roles).find((name) => {
    const from = roles[name]?.from;
    return from !== undefined && from !== 'anybody' && holds(from, claims);
  });
}

/** The role of a request without a key; undefined if the file has none. */
export function roleOfAnybody(roles: AccessDeclaration['roles']): string | undefined {
  return Object.keys(roles).find((name) => roles[name]?.from === 'anybody');
}
