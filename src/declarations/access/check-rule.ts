/** Checks the rule of a role for a collection. */

import { isFree } from '../../domain/access/bound-access.ts';
import { isObject } from '../../domain/input/json.ts';
import { suggestion } from '../../domain/input/suggest.ts';
import { mayBeAbsent } from '../../domain/record/record-schemas.ts';
import type { Where } from '../../domain/where/where.ts';
import { type Mistakes, pathTo, shown } from '../mistakes.ts';
import { type Checked, checkCondition, type Place } from './check-condition.ts';
import { checkSet, valueFilters } from './check-set.ts';
import { neverHolds } from './never-holds.ts';
import { alwaysVisible, sendableFields } from './subjects.ts';

const operations = {
  read: ['where', 'fields'],
  create: ['fields', 'set', 'check'],
  update: ['where', 'fields', 'set', 'check'],
  delete: ['where'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Operation = keyof typeof operations;
const names = Object.keys(operations) as readonly Operation[];

const never = 'can never hold: no record meets it';

/** The condition for reading; undefined if it has a mistake, or there is none. */
export function checkRule(rule: unknown, place: Place, path: string, mistakes: Mistakes): Where | undefined {
  if (rule === 'read' || rule === 'write') return undefined;
  if (!isObject(rule))
    return mistakes.add(path, `must be "read", "write" or an object with ${names.join(', ')}, not ${shown(rule)}`);
  for (const key of Object.keys(rule))
    if (!names.some((one) => one === key))
      mistakes.add(pathTo(path, key), `there is no such operation${suggestion(key, names)}`);
  const given = names.filter((name) => rule[name] !== undefined && rule[name] !== false);
  if (given.length === 0) mistakes.add(path, 'allows nothing: name an operation, or leave the role out');
  const wheres = new Map(
    given.map((name) => [name, checkOperation(name, rule[name], place, pathTo(path, name), mistakes)]),
  );
  for (const name of ['update', 'delete'] as const) {
    if (!given.includes(name)) continue;
    if (!given.includes('read'))
      mistakes.add(`${path}.${name}`, 'can never hold: a record has to be readable to be changed; add "read"');
    const [read, own] = [wheres.get('read')?.fixed ?? [], wheres.get(name)?.fixed ?? []];
    const alone = [read, own].some((one) => neverHolds(place.subject, one));
    if (!alone && neverHolds(place.subject, [...read, ...own]))
      mistakes.add(`${path}.${name}.where`, `${never} that "read" allows, too`);
  }
  return wheres.get('read')?.sampled;
}

/** Its `where`. */
function checkOperation(
  operation: Operation,
  value: unknown,
  place: Place,
  path: string,
  mistakes: Mistakes,
): Checked | undefined {
  if (value === true) {
    if (operation === 'create') requireComplete({}, place, path, mistakes);
    return undefined;
  }
  if (!isObject(value)) return mistakes.add(path, `must be true, false or an object, not ${shown(value)}`);
  const options: readonly string[] = operations[operation];
  for (const key of Object.keys(value))
    if (!options.includes(key)) mistakes.add(pathTo(path, key), `there is no such option${suggestion(key, options)}`);
  const has = (option: string) => options.includes(option) && value[option] !== undefined;
  const { subject } = place;
  const sendable = sendableFields(subject);
  if (has('fields')) {
    const known = operation === 'read' ? [...subject.columns.keys()] : sendable;
    checkFields(value.fields, known, place, `${path}.fields`, mistakes);
  }
  if (has('set')) checkSet(value.set, place, sendable, `${path}.set`, mistakes);
  const where = has('where') ? checkCondition(value.where, place, `${path}.where`, mistakes) : undefined;
  if (where !== undefined && neverHolds(subject, where.fixed)) mistakes.add(`${path}.where`, never);
  const check = has('check') ? checkCondition(value.check, place, `${path}.check`, mistakes) : undefined;
  const named = Array.isArray(value.fields) ? value.fields : [];
  const kept = (where?.fixed ?? []).filter((one) => operation === 'update' && !isFree(one, named));
  const given = [...valueFilters(value.set, place), ...(operation === 'create' ? unsentFilters(value, place) : [])];
  if (check !== undefined && neverHolds(subject, [...check.fixed, ...given]))
    mistakes.add(`${path}.check`, 'can never hold');
  else if (kept.length > 0 && neverHolds(subject, [...kept, ...(check?.fixed ?? []), ...given]))
    mistakes.add(
      `${path}.where`,
      'can never hold after the change, as "set" and "check" make it: only conditions on fields that "fields" lists may cease to hold',
    );
  if (operation === 'create') requireComplete(value, place, path, mistakes);
  return where;
}

function checkFields(
  fields: unknown,
  known: readonly string[],
  { subject }: Place,
  path: string,
  mistakes: Mistakes,
): void {
  if (!Array.isArray(fields))
    return void mistakes.add(path, `must be a list of fields, such as ["${known[0]}"], not ${shown(fields)}`);
  const seen = new Set<unknown>();
  for (const [at, field] of fields.entries()) {
    const place = `${path}[${at}]`;
    if (seen.has(field)) mistakes.add(place, `is there already: ${shown(field)}`);
    seen.add(field);
    if (known.includes(field)) continue;
    if (alwaysVisible.includes(field)) mistakes.add(place, `${field} is set by the server: leave it out`);
    // A field with a mistake of its own is not known.
    else if (typeof field !== 'string' || !Object.hasOwn(subject.declared.fields, field))
      mistakes.add(place, `there is no field ${shown(field)}${suggestion(String(field), known)}`);
  }
}

/** A required field that can neither be sent nor is set: no record could be created. */
function requireComplete(
  rule: Readonly<Record<string, unknown>>,
  { subject }: Place,
  path: string,
  mistakes: Mistakes,
) {
  const { fields, set } = rule;
  if (!Array.isArray(fields)) return;
  const given = [...fields, ...(isObject(set) ? Object.keys(set) : [])];
  const missing = Object.keys(subject.declared.fields).filter(
    (key) => !mayBeAbsent(subject.declared.fields[key]) && !given.includes(key),
  );
  if (missing.length > 0)
    mistakes.add(path, `can never hold: the required ${missing.join(', ')} must be in "fields" or in "set"`);
}

/** Fields that a body cannot have, and that the server does not set, have their default, or are null. */
function unsentFilters(rule: Readonly<Record<string, unknown>>, { subject }: Place): Where {
  const { fields, set } = rule;
  if (!Array.isArray(fields)) return [];
  const given = [...fields, ...(isObject(set) ? Object.keys(set) : [])];
  return Object.entries(subject.declared.fields).flatMap(([key, { default: preset, optional }]): Where => {
    if (given.includes(key)) return [];
    // The default of a clock is known only with a request.
    if (preset !== undefined) return valueFilters({ [key]: preset }, { subject });
    return optional ? [{ field: key, operator: 'is', values: ['null'] }] : [];
  });
}
