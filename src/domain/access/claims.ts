/** The claims of a caller, as rules name them. */
import type { Plain } from '../record/declaration.ts';
import { callerPrefix, isExact, variablesIn } from './variables.ts';

/** Of an API key. */
const maxClaims = 20;
const maxJson = 4096;

/** The claims that a rule names, each once, however deep. */
export function claimsIn(rule: Plain | undefined): readonly string[] {
  const named = variablesIn(rule).filter((name) => name.startsWith(callerPrefix));
  return [...new Set(named.map((name) => name.slice(callerPrefix.length)))];
}

/** What is wrong with the claims of an API key, to follow their name; undefined if they are right. */
export function claimsMistake(claims: unknown): string | undefined {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    return 'must be an object of claims, such as {"member_id":7}';
  const entries = Object.entries(claims);
  if (entries.length > maxClaims) return `has ${entries.length} claims; at most ${maxClaims} are possible`;
  for (const [name, value] of entries) {
    if (!isName(name))
      return `has the name ${JSON.stringify(name.slice(0, 60))}: it must be 1 to 100 visible characters, without =`;
    if (!(Array.isArray(value) ? value : [value]).every(isScalar))
      return `has a wrong value of ${name}: it must be a text, a number that a double holds exactly, true or false, or a list of these`;
  }
  const { length } = JSON.stringify(claims);
  return length > maxJson ? `has ${length} characters of JSON; at most ${maxJson} are possible` : undefined;
}

function isName(name: string): boolean {
  return /^[!-<>-~]{1,100}$/.test(name) && name !== '__proto__';
}

/** Null is none: a claim without a value is left out. */
function isScalar(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value === 'number') return isExact(value);
  return typeof value === 'boolean';
}
