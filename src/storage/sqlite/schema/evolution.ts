/** Migrates the tables of a SQLite database to the declared collections. Runs inside one transaction. */
import type { Database } from 'bun:sqlite';
import { typeOf } from '../../../declarations/field-steps.ts';
import {
  byNewNames,
  type CollectionChange,
  declarationsOf,
  planFor,
  type StoredDeclaration,
  type StoredDeclarations,
  servedNames,
  storedAfter,
  type UnservedReference,
  unservedNames,
  unservedReferences,
} from '../../../declarations/plan.ts';
import { type Evolution, type Permission, type Plan, requirePermitted } from '../../../declarations/refusal.ts';
import { checksToCheck, rulesToCheck } from '../../../declarations/rules/new-rules.ts';
import type { CheckRule } from '../../../domain/record/check-rules.ts';
import { type Collection, collection } from '../../../domain/record/collection.ts';
import type { UniqueRule } from '../../../domain/record/unique-rules.ts';
import { identifier } from '../../../domain/sql-text.ts';
import type { Field } from '../../../domain/types/type.ts';
import { counted, violationsOf } from '../../check-plan.ts';
import { indexName, uniqueIndexName } from '../../index-name.ts';
import {
  checked,
  declarationsSetting,
  decodeDeclarations,
  encodeDeclarations,
  inferredFrom,
} from '../../stored-declarations.ts';
import {
  brokenCheck,
  checkViolation,
  equalValues,
  lostReference,
  referenceViolation,
  uniqueViolation,
} from '../../violations.ts';
import { newSecret, settingIn } from '../file/epoch.ts';
import {
  columnDefinition,
  createIndexes,
  createTable,
  defaultOf,
  dialect,
  presetOf,
} from '../statements/collection-sql.ts';
import { planReader } from './plan-reader.ts';
import { rebuild } from './rebuild.ts';
import { keepWords, renameWords } from './word-tables.ts';

/** A server's start may take the steps that lose nothing. */
export const atStart: Permission = { risks: ['none', 'check'], allowed: [] };

/** Returns the new collections. Throws a StartError if a step is not permitted, or if a record does not fit. */
export function evolve(db: Database, collections: readonly Collection[], evolution: Evolution): Collection[] {
  const stored = storedDeclarationsIn(db, collections);
  const changes = planFor(stored, declarationsOf(collections));
  requirePermitted(changes, evolution);
  const byName = new Map(collections.map((one) => [one.name, one]));
  const fresh: Collection[] = [];
  const moment = new Date().toISOString();
  for (const change of changes) {
    const after = byName.get(change.name);
    if (after === undefined) continue;
    if (change.steps.length === 0) {
      // Of an earlier file that still fits, the database may have dropped an index.
      if (!change.isEarlier) makeLostIndexes(db, after);
      continue;
    }
    if (change.before === undefined) {
      for (const statement of createTable(after)) db.run(statement);
      fresh.push(after);
    } else {
      transform(db, change, after, moment);
      for (const { text } of change.steps) evolution.onStep(text);
    }
    keepIndexes(db, after);
  }
  for (const change of changes) if (change.steps.length > 0) requireTargets(db, change);
  // A server with an earlier file that still fits has the same words.
  keepWords(db, collections, evolution.onStep);
  // Converted values sort differently, so a cursor would continue at the wrong place.
  if (changes.some(({ steps }) => steps.some(({ risk }) => risk === 'loss'))) newSecret(db);
  const next = storedAfter(stored, changes);
  if (next !== stored)
    db.run('insert or replace into settings values (?, ?)', [declarationsSetting, encodeDeclarations(next)]);
  return fresh;
}

/** The plan; nothing is changed. With `isChecked`, all records are checked, in one snapshot. */
export async function planIn(db: Database, collections: readonly Collection[], isChecked: boolean): Promise<Plan> {
  db.run('begin');
  const stored = storedDeclarationsIn(db, collections);
  const changes = planFor(stored, declarationsOf(collections));
  const unserved = unservedNames(stored, servedNames(changes));
  if (!isChecked) return { changes, unserved, violations: [] };
  const reader = planReader(db);
  return { changes: await counted(changes, reader), unserved, violations: await violationsOf(changes, reader) };
}

/** Collections that are in the database and not served. */
export function unservedCollectionsIn(db: Database, collections: readonly Collection[]): readonly string[] {
  return unservedNames(
    storedDeclarationsIn(db, collections),
    collections.map(({ name }) => name),
  );
}

/** References from collections or fields that are not served. */
export function unservedIn(db: Database, collections: readonly Collection[]): UnservedReference[] {
  return unservedReferences(storedDeclarationsIn(db, collections), declarationsOf(collections));
}

/** The stored declarations, and those inferred from the tables of early releases, which stored none. */
export function storedDeclarationsIn(db: Database, collections: readonly Collection[]): StoredDeclarations {
  const stored = hasTable(db, 'settings') ? decodeDeclarations(settingIn(db, declarationsSetting)) : {};
  const others = collections.filter(({ name }) => stored[name] === undefined && hasTable(db, name));
  const found = others.map((one) => [one.name, inferredIn(db, one)] as const);
  return { ...stored, ...checked(Object.fromEntries(found)) };
}

/** Infers the declaration of a table from its columns, without checking it. */
export function inferredIn(db: Database, { name, singular }: Pick<Collection, 'name' | 'singular'>): StoredDeclaration {
  return inferredFrom(singular, columnsIn(db, name), typeNames);
}

export function hasTable(db: Database, name: string): boolean {
  using found = db.prepare<{ name: string }, [string]>(
    "select name from sqlite_schema where type = 'table' and name = ?",
  );
  return found.get(name) !== null;
}

const typeNames = { integer: 'integer', text: 'text', any: 'number' };

function columnsIn(db: Database, name: string): [name: string, type: string][] {
  using columns = db.prepare<{ name: string; type: string }, [string]>('select name, type from pragma_table_info(?)');
  return columns.all(name).map((column) => [column.name, column.type.toLowerCase()]);
}

/** `moment` is that of the migration. */
function transform(db: Database, change: CollectionChange, after: Collection, moment: string): void {
  const { name, before, sources } = change;
  if (before === undefined) return;
  if (before.name !== name) renameCollection(db, before.name, name);
  if (before.declaration.singular !== after.singular)
    db.run('update changes set singular = ? where collection = ? and singular is null', [
      before.declaration.singular,
      name,
    ]);
  for (const [key, source] of sources) {
    if (key !== source)
      db.run(`alter table ${identifier(name)} rename column ${identifier(source)} to ${identifier(key)}`);
  }
  const old = collection(name, byNewNames(change));
  const conversion = { old, after, checked: change.checked, moment };
  if (needsRebuild(old, after)) rebuild(db, conversion);
  else {
    if (change.checked.length > 0) rebuild(db, conversion, 'check only');
    for (const [key, field] of Object.entries(after.fields)) {
      if (!Object.hasOwn(old.fields, key))
        db.run(`alter table ${identifier(name)} add column ${columnDefinition(key, field)}${defaultOf(field)}`);
    }
  }
  requireUnique(db, after, rulesToCheck(change, after.unique));
  requireChecks(db, after, checksToCheck(change, after.checks));
}

/** SQLite can add a column that is optional or has a constant default, and cannot change an existing column. */
function needsRebuild(old: Collection, after: Collection): boolean {
  if ((old.contract === undefined) !== (after.contract === undefined)) return true;
  const canBeAdded = ([key, field]: [string, Field]) =>
    Object.hasOwn(old.fields, key) || (field.clock === undefined && presetOf(field) !== undefined);
  if (!Object.entries(after.fields).every(canBeAdded)) return true;
  return Object.entries(old.fields).some(([key, field]) => {
    const now = after.fields[key];
    // The same column type can hold values of another meaning, such as decimals of another scale.
    return (
      now === undefined ||
      columnDefinition(key, field) !== columnDefinition(key, now) ||
      typeOf(field.declared) !== typeOf(now.declared)
    );
  });
}

/** Also renames the collection in key scopes, idempotency keys and changes. A recorded change keeps its event name. */
function renameCollection(db: Database, from: string, to: string): void {
  db.run(`alter table ${identifier(from)} rename to ${identifier(to)}`);
  renameWords(db, from, to);
  db.run('delete from idempotency_keys where collection = ?', [to]);
  for (const table of ['changes', 'idempotency_keys'])
    db.run(`update ${table} set collection = ? where collection = ?`, [to, from]);
  db.run(
    `update api_keys set collections = trim(replace(',' || collections || ',', ?, ?), ',') where collections is not null`,
    [`,${from},`, `,${to},`],
  );
}

function requireUnique(db: Database, after: Collection, rules: readonly UniqueRule[]): void {
  for (const rule of rules) {
    using twice = db.prepare<{ first: number; last: number }, []>(equalValues(dialect, after, rule));
    const found = twice.get();
    if (found !== null) throw uniqueViolation(after.name, rule, found.first, found.last);
  }
}

function requireChecks(db: Database, after: Collection, rules: readonly CheckRule[]): void {
  for (const rule of rules) {
    using broken = db.prepare<{ seq: number }, []>(brokenCheck(dialect, after, rule));
    const found = broken.get();
    if (found !== null) throw checkViolation(after.name, rule, found.seq);
  }
}

/** Every new reference must lead to an existing record, also if its values are converted or a default. */
function requireTargets(db: Database, { name, after, before }: CollectionChange): void {
  for (const [key, { to }] of Object.entries(after.fields)) {
    if (to === undefined || before?.declaration.fields[key]?.to === to) continue;
    using lost = db.prepare<{ seq: bigint; value: bigint }, []>(
      lostReference(identifier(name), identifier(key), identifier(to)),
    );
    const found = lost.safeIntegers(true).get();
    if (found !== null) throw referenceViolation(`${name}.${key}`, to, String(found.seq), String(found.value));
  }
}

/** Creates the indexes that are declared, and drops all others. */
function keepIndexes(db: Database, after: Collection): void {
  const { name, indexes, unique } = after;
  const wanted = new Set([
    ...indexes.map((fields) => indexName(name, fields)),
    ...unique.map((rule) => uniqueIndexName(name, rule)),
    // This index is dropped together with the contract id.
    `${name}_by_id`,
  ]);
  for (const one of indexNamesIn(db, name)) if (!wanted.has(one)) db.run(`drop index ${identifier(one)}`);
  for (const statement of [...createTable(after).slice(1), ...createIndexes(after)]) db.run(statement);
}

/** Earlier versions lost the index of a collection that they renamed, and another program can drop any. */
function makeLostIndexes(db: Database, after: Collection): void {
  const { name, unique } = after;
  const existing = indexNamesIn(db, name);
  requireUnique(
    db,
    after,
    unique.filter((rule) => !existing.includes(uniqueIndexName(name, rule))),
  );
  for (const statement of [...createTable(after).slice(1), ...createIndexes(after)]) db.run(statement);
}

function indexNamesIn(db: Database, table: string): string[] {
  using there = db.prepare<{ name: string }, [string]>(
    "select name from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null",
  );
  return there.all(table).map(({ name }) => name);
}
