/** Checks the roles of a configuration file. */
import type { AccessDeclaration, RoleDeclaration } from '../../domain/access/declaration.ts';
import { isObject } from '../../domain/input/json.ts';
import { suggestion } from '../../domain/input/suggest.ts';
import { type Mistakes, pathTo, shown } from '../mistakes.ts';
import { nameMistake } from '../names.ts';

export const maxRoles = 50;

const sources = ['claim', 'equals', 'has'];
const such = '"anybody", or a claim such as { "claim": "groups", "has": "staff" }';

/** The roles with a right name. Of use only if there is no mistake. */
export function readRoles(value: unknown, mistakes: Mistakes): AccessDeclaration['roles'] {
  if (!isObject(value)) {
    const missing = 'there is none, and collections have "access": add "roles", such as { "member": { "from": ... } }';
    mistakes.add('roles', value === undefined ? missing : `must be an object of roles, not ${shown(value)}`);
    return {};
  }
  const names = Object.keys(value);
  if (names.length === 0) mistakes.add('roles', 'must have at least one role');
  if (names.length > maxRoles) mistakes.add('roles', `has ${names.length} roles; at most ${maxRoles} are possible`);
  for (const [name, role] of Object.entries(value)) checkRole(name, role, mistakes);
  return value as Readonly<Record<string, RoleDeclaration>>;
}

function checkRole(name: string, value: unknown, mistakes: Mistakes): void {
  const path = pathTo('roles', name);
  const wrongName = name === 'constructor' ? 'is reserved: choose another name' : nameMistake(name);
  if (wrongName !== undefined) mistakes.add(path, wrongName);
  if (!isObject(value)) return void mistakes.add(path, `must be an object with "from": ${such}, not ${shown(value)}`);
  for (const key of Object.keys(value))
    if (key !== 'from') mistakes.add(pathTo(path, key), `there is no such option${suggestion(key, ['from'])}`);
  checkSource(value.from, `${path}.from`, mistakes);
}

function checkSource(from: unknown, path: string, mistakes: Mistakes): void {
  if (from === 'anybody') return;
  if (!isObject(from)) return void mistakes.add(path, `must be ${such}, not ${shown(from)}`);
  for (const key of Object.keys(from))
    if (!sources.includes(key)) mistakes.add(pathTo(path, key), `there is no such option${suggestion(key, sources)}`);
  const { claim } = from;
  if (typeof claim !== 'string' || !/^[!-~]{1,200}$/.test(claim) || claim.startsWith('$'))
    mistakes.add(
      `${path}.claim`,
      `must be the name of a claim or a path, such as realm_access.roles, not ${shown(claim)}`,
    );
  if (from.equals !== undefined && from.has !== undefined)
    mistakes.add(path, 'has "equals" and "has": leave one of them out');
  for (const key of ['equals', 'has']) {
    const value = from[key];
    if (value === undefined || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      continue;
    mistakes.add(`${path}.${key}`, `must be a text, a number, true or false, not ${shown(value)}`);
  }
}
