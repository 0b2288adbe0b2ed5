/** The configuration file: collections of the user's own, and settings. */
import { existsSync, readFileSync } from 'node:fs';
import { collections as contract } from '../../collections/registry.ts';
import { type GivenRules, readAccess } from '../../declarations/access/read-access.ts';
import { readDeclarations } from '../../declarations/check.ts';
import { lineOf, type Mistake, Mistakes, pathTo, shown } from '../../declarations/mistakes.ts';
import { slowPatterns } from '../../declarations/slow-patterns.ts';
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { isObject } from '../../domain/input/json.ts';
import { suggestion } from '../../domain/input/suggest.ts';
import type { Declarations } from '../../domain/record/declaration.ts';
import type { Setting } from '../settings/setting.ts';
import { UsageError } from './environment.ts';
import { parseJsonc } from './jsonc.ts';

/** Found by itself in the working folder. */
export const defaultFile = 'shelf.json';

export type ConfigFile = FileContent & { readonly path: string; readonly text: string };

export type FileContent = {
  readonly declarations: Declarations;
  /** Collections of the contract that are not served. */
  readonly without: readonly string[];
  /** Roles, and the rules of each collection; undefined if the file has none. */
  readonly access: AccessDeclaration | undefined;
  /** Lines for the operator. */
  readonly warnings: readonly string[];
  /** The text of each setting, by its flag. */
  readonly settings: ReadonlyMap<string, string>;
};

const members = ['$schema', 'roles', 'collections', 'access', 'settings', ...contract.map(({ name }) => name)];

/** `path` is the file that was asked for; otherwise the default one is read if it is there. Throws a UsageError. */
export function findConfigFile(
  path: string | undefined,
  settings: readonly Setting<unknown>[],
  isForNew = false,
): ConfigFile | undefined {
  if (path !== undefined) return readConfigFile(path, settings, isForNew);
  return existsSync(defaultFile) ? readConfigFile(defaultFile, settings, isForNew) : undefined;
}

/** Throws a UsageError with a line for each mistake. `isForNew`: also for what only a database that has it already keeps. */
export function readConfigFile(path: string, settings: readonly Setting<unknown>[], isForNew = false): ConfigFile {
  const text = textOf(path);
  const read = readConfigText(text, settings, isForNew);
  if (Array.isArray(read)) throw mistaken(path, read);
  return { path, text, ...read };
}

/** All mistakes if there are some. A mistake in the syntax has no path. */
export function readConfigText(
  text: string,
  settings: readonly Setting<unknown>[],
  isForNew = false,
): FileContent | Mistake[] {
  const { value, mistakes: syntax } = parseJsonc(text);
  if (syntax.length > 0) return syntax.map((message) => ({ path: '', message }));
  const mistakes = new Mistakes();
  const file = isObject(value) ? value : {};
  if (!isObject(value)) mistakes.add('the file', `must be an object with "collections", not ${shown(value)}`);
  for (const key of Object.keys(file)) {
    if (!members.includes(key)) mistakes.add(key, `there is no such member${suggestion(key, members)}`);
  }
  const { collections = {} } = file;
  const inside = isObject(collections) ? collections : {};
  const without = contract
    .map(({ name }) => name)
    .filter((name) => leavesOut(file[name], name, mistakes) || inside[name] === false);
  const given = Object.entries(inside).filter(([name, one]) => one !== false || !isContract(name));
  // No engine knows of rules, so they are no part of a declaration.
  const own = Object.fromEntries(given.map(([name, one]) => [name, withoutRules(one)]));
  const others = contract.filter(({ name }) => !without.includes(name));
  for (const { name } of others) {
    if (Object.hasOwn(own, name))
      mistakes.add(
        `collections.${name}`,
        `is a collection of the contract: write "${name}": false first, or choose another name`,
      );
  }
  const known = Object.fromEntries(others.map(({ name, declaration }) => [name, declaration]));
  const declarations = readDeclarations(isObject(collections) ? own : collections, 'collections', known, mistakes);
  for (const { path, why } of isForNew ? slowPatterns(declarations) : [])
    mistakes.add(`collections.${path}`, `${why}, which can take very long: write it otherwise`);
  const rules = [...rulesInside(inside), ...rulesOfContract(file.access, known, mistakes)];
  const { access, warnings } = readAccess(file.roles, rules, { ...known, ...declarations }, mistakes);
  const texts = readSettings(file.settings, settings, mistakes);
  if (mistakes.all.length > 0) return mistakes.all;
  return { declarations, without, access, warnings, settings: texts };
}

function isContract(name: string): boolean {
  return contract.some((one) => one.name === name);
}

function withoutRules(declaration: unknown): unknown {
  if (!isObject(declaration)) return declaration;
  const { access: _, ...others } = declaration;
  return others;
}

function rulesInside(collections: Readonly<Record<string, unknown>>): GivenRules[] {
  return Object.entries(collections).flatMap(([collection, declaration]) =>
    isObject(declaration) && declaration.access !== undefined
      ? [{ collection, value: declaration.access, path: pathTo(`collections.${collection}`, 'access') }]
      : [],
  );
}

/** The collections of the contract are not declared in the file: their rules have a place of their own. */
function rulesOfContract(access: unknown, known: Declarations, mistakes: Mistakes): GivenRules[] {
  if (access === undefined) return [];
  const names = Object.keys(known);
  if (!isObject(access)) {
    mistakes.add('access', `must be an object with the rules of ${names.join(' and ')}, not ${shown(access)}`);
    return [];
  }
  return Object.entries(access).flatMap(([collection, value]) => {
    const path = pathTo('access', collection);
    if (Object.hasOwn(known, collection)) return [{ collection, value, path }];
    mistakes.add(
      path,
      `is no collection of the contract that is served (${names.join(', ') || 'there is none'}); the rules of others are in "collections", as "access"`,
    );
    return [];
  });
}

/** `"items": false` leaves out a collection of the contract. */
function leavesOut(value: unknown, name: string, mistakes: Mistakes): boolean {
  if (value !== undefined && typeof value !== 'boolean')
    mistakes.add(name, `must be true or false, not ${shown(value)}; collections are declared under "collections"`);
  return value === false;
}

function readSettings(
  value: unknown,
  known: readonly Setting<unknown>[],
  mistakes: Mistakes,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (value === undefined) return texts;
  if (!isObject(value)) {
    mistakes.add(
      'settings',
      `must be an object of settings by their flags, such as { "port": 8000 }, not ${shown(value)}`,
    );
    return texts;
  }
  for (const [key, given] of Object.entries(value)) {
    const setting = known.find(({ flag }) => flag === `--${key}` || flag === key);
    const text = textOfSetting(given);
    if (setting === undefined) {
      const names = known.map(({ flag }) => flag.slice(2));
      mistakes.add(`settings.${key}`, `there is no such setting${suggestion(key, names)}`);
    } else if (setting.inFile === false) mistakes.add(`settings.${key}`, 'cannot be set in the file');
    else if (text === undefined || setting.parse(text) === undefined)
      mistakes.add(`settings.${key}`, `must be ${setting.expected}, not ${shown(given)}`);
    else texts.set(setting.flag, text);
  }
  return texts;
}

function textOfSetting(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function textOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const why = code === 'ENOENT' ? 'there is no such file' : error instanceof TypeError ? 'it is not UTF-8' : message;
    throw new UsageError(`Cannot read ${path}: ${why}. Check --config.`);
  }
}

function mistaken(path: string, mistakes: readonly Mistake[]): UsageError {
  return new UsageError(mistakes.map((one) => `${path}: ${lineOf(one)}`).join('\nshelf: '));
}
