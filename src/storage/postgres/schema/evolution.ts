/** Brings the tables of a PostgreSQL database to the declared collections. Runs inside one transaction. */
import type { SQL } from 'bun';
import { typeOf } from '../../../declarations/field-steps.ts';
import {
  byNewNames,
  type CollectionChange,
  declarationsOf,
  planFor,
  type StoredDeclarations,
  servedNames,
  storedAfter,
  type UnservedReference,
  unservedNames,
  unservedReferences,
} from '../../../declarations/plan.ts';
import { type Evolution, type Permission, type Plan, requirePermitted } from '../../../declarations/refusal.ts';
import { checksToCheck, rulesToCheck } from '../../../declarations/rules/new-rules.ts';
import { type Collection, collection } from '../../../domain/record/collection.ts';
import { absentValue } from '../../../domain/record/row.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import type { Field } from '../../../domain/types/type.ts';
import { spelled } from '../../../exact/numeral.ts';
import { counted, violationsOf } from '../../check-plan.ts';
import { newSecret } from '../../secret.ts';
import {
  checked,
  declarationsSetting,
  decodeDeclarations,
  encodeDeclarations,
  inferredFrom,
} from '../../stored-declarations.ts';
import {
  absentViolation,
  brokenCheck,
  checkViolation,
  equalValues,
  lostReference,
  referenceViolation,
  requiredViolation,
  uniqueViolation,
} from '../../violations.ts';
import { columnDefinition, createTable, dialect } from '../statements/table-sql.ts';
import { convertColumn } from './convert-column.ts';
import { keepConstraints, keepIndexes } from './indexes-and-constraints.ts';
import { planReader } from './plan-reader.ts';
import { areSplitNow, keepWords, renameVersion, renameWords } from './word-columns.ts';

/** At the start of a server: only what servers with the earlier file can go on beside. */
export const atStart: Permission = { risks: ['none'], allowed: [] };

export type Evolved = {
  readonly fresh: readonly Collection[];
  /** Servers with an earlier file must stop. */
  readonly isBreaking: boolean;
};

export async function evolve(sql: SQL, collections: readonly Collection[], evolution: Evolution): Promise<Evolved> {
  const stored = await storedDeclarationsIn(sql, collections);
  const changes = planFor(stored, declarationsOf(collections));
  requirePermitted(changes, evolution);
  // A table that references of this transaction still have to be checked for cannot be altered.
  await sql.unsafe('set constraints all immediate');
  const fresh: Collection[] = [];
  const changed: Collection[] = [];
  for (const change of changes) {
    const after = collections.find(({ name }) => name === change.name);
    if (after === undefined || change.steps.length === 0) continue;
    changed.push(after);
    if (change.before === undefined) {
      for (const statement of createTable(after)) await sql.unsafe(statement);
      fresh.push(after);
    } else {
      await transform(sql, change, after);
      for (const { text } of change.steps) evolution.onStep(text);
    }
  }
  const isSplitAgain = await keepWords(sql, collections, evolution.onStep);
  for (const after of changed) await keepIndexes(sql, after);
  // After all tables: they refer to each other.
  for (const change of changes) {
    const after = collections.find(({ name }) => name === change.name);
    if (after === undefined || change.steps.length === 0) continue;
    await requireTargets(sql, change);
    await keepConstraints(sql, after);
  }
  // The order of converted values is another one, so a cursor would continue at the wrong place.
  if (changes.some(({ steps }) => steps.some(({ risk }) => risk === 'loss')))
    await sql`update settings set value = ${newSecret()} where name = 'secret'`;
  const next = storedAfter(stored, changes);
  if (next !== stored)
    await sql`insert into settings values (${declarationsSetting}, ${encodeDeclarations(next)})
              on conflict (name) do update set value = excluded.value`;
  const isBreaking = changes.some(
    ({ before, steps }) => before !== undefined && steps.some(({ risk }) => risk !== 'none'),
  );
  return { fresh, isBreaking: isBreaking || isSplitAgain };
}

/** References that are not served. */
export async function unservedIn(sql: SQL, collections: readonly Collection[]): Promise<UnservedReference[]> {
  const [there] = await sql`select to_regclass('settings') is not null`.values();
  if (there?.[0] !== true) return [];
  const [row] = await sql`select value from settings where name = ${declarationsSetting}`.values();
  return unservedReferences(decodeDeclarations(row?.[0]), declarationsOf(collections));
}

/** Whether there is nothing to do, not even to store. */
export async function isUpToDate(sql: SQL, collections: readonly Collection[]): Promise<boolean> {
  const [row] = await sql`select value from settings where name = ${declarationsSetting}`.values();
  const stored = decodeDeclarations(row?.[0]);
  const changes = planFor(stored, declarationsOf(collections));
  return storedAfter(stored, changes) === stored && (await areSplitNow(sql, collections));
}

/** What would be done; nothing is changed. Records are checked if `isChecked`. */
export async function planIn(sql: SQL, collections: readonly Collection[], isChecked: boolean): Promise<Plan> {
  const stored = await storedDeclarationsIn(sql, collections);
  const changes = planFor(stored, declarationsOf(collections));
  const unserved = unservedNames(stored, servedNames(changes));
  if (!isChecked) return { changes, unserved, violations: [] };
  const reader = planReader(sql);
  return { changes: await counted(changes, reader), unserved, violations: await violationsOf(changes, reader) };
}

/** Collections that are in the database and not served. */
export async function unservedCollectionsIn(sql: SQL, collections: readonly Collection[]): Promise<readonly string[]> {
  return unservedNames(
    await storedDeclarationsIn(sql, collections),
    collections.map(({ name }) => name),
  );
}

/** The stored declarations, and those of tables of earlier releases, which stored none. */
export async function storedDeclarationsIn(sql: SQL, collections: readonly Collection[]): Promise<StoredDeclarations> {
  const [row] = await sql`select value from settings where name = ${declarationsSetting}`.values();
  const stored = decodeDeclarations(row?.[0]);
  const columns: [table: string, name: string, type: string][] = await sql`
    select table_name, column_name, data_type from information_schema.columns
    where table_schema = current_schema() order by ordinal_position`.values();
  const tables = Map.groupBy(columns, ([table]) => table);
  const found = collections
    .filter(({ name }) => stored[name] === undefined && tables.has(name))
    .map(({ name, singular }) => {
      const own = (tables.get(name) ?? []).map(([, column, type]) => [column, type] as const);
      return [name, inferredFrom(singular, own, typeNames)] as const;
    });
  return { ...stored, ...checked(Object.fromEntries(found)) };
}

const typeNames = { bigint: 'integer', text: 'text', 'double precision': 'number' };

async function transform(sql: SQL, change: CollectionChange, after: Collection): Promise<void> {
  const { name, before, sources, checked } = change;
  if (before === undefined) return;
  if (before.name !== name) await renameCollection(sql, before.name, name);
  if (before.declaration.singular !== after.singular)
    await sql`update changes set singular = ${before.declaration.singular} where collection = ${name} and singular is null`;
  for (const [key, source] of sources) {
    if (key === source) continue;
    await sql.unsafe(`alter table ${identifier(name)} rename column ${identifier(source)} to ${identifier(key)}`);
    await renameWords(sql, name, source, key);
  }
  const old = collection(name, byNewNames(change));
  await changeContract(sql, old, after);
  for (const key of Object.keys(old.fields)) {
    if (after.fields[key] === undefined && key !== 'id')
      await sql.unsafe(`alter table ${identifier(name)} drop column ${identifier(key)}`);
  }
  for (const [key, field] of Object.entries(after.fields)) {
    const from = old.fields[key];
    if (from === undefined) {
      if (key !== 'id') await addColumn(sql, after, key, field);
    } else await changeColumn(sql, after, key, from, field, checked.includes(key));
  }
  await requireUnique(sql, change, after);
  await requireChecks(sql, change, after);
}

async function addColumn(sql: SQL, { name }: Collection, key: string, field: Field): Promise<void> {
  const value = absentValue(field);
  if (typeof value === 'object' && value !== null) {
    const [some] = await sql.unsafe(`select min(seq) from ${identifier(name)}`).values();
    const recordId = some?.[0] ?? null;
    if (recordId !== null) throw absentViolation(`${name}.${key}`, recordId);
  }
  await sql.unsafe(`alter table ${identifier(name)} add column ${columnDefinition(key, field)}${presetOf(field)}`);
}

/**
 * Stays in the table: a server with an earlier file does not know the field, and adds records without it. PostgreSQL computes a moment once for
 * all records that are there.
 */
function presetOf(field: Field): string {
  if (field.clock !== undefined) return ` default ${field.clock.postgres.preset}`;
  const value = absentValue(field);
  if (value === null || typeof value === 'object') return '';
  return ` default ${literal(spelled(value))}::${field.postgres.name}`;
}

async function changeColumn(
  sql: SQL,
  { name }: Collection,
  key: string,
  from: Field,
  to: Field,
  isChecked: boolean,
): Promise<void> {
  const alter = (change: string) =>
    sql.unsafe(`alter table ${identifier(name)} alter column ${identifier(key)} ${change}`);
  const isRequired = from.declared.optional && !to.declared.optional;
  if (isRequired) await requireValues(sql, name, key);
  if (isChecked) await convertColumn(sql, name, key, from, to, typeOf(from.declared) !== typeOf(to.declared));
  if (isRequired) await alter('set not null');
  if (!from.declared.optional && to.declared.optional) await alter('drop not null');
}

async function requireValues(sql: SQL, name: string, key: string): Promise<void> {
  const [row] = await sql.unsafe(`select min(seq) from ${identifier(name)} where ${identifier(key)} is null`).values();
  const recordId = row?.[0] ?? null;
  if (recordId !== null) throw requiredViolation(`${name}.${key}`, recordId);
}

async function changeContract(sql: SQL, old: Collection, after: Collection): Promise<void> {
  const [table, trigger] = [identifier(after.name), identifier(`${after.name}_own_id`)];
  if (old.contract === undefined && after.contract !== undefined) {
    await sql.unsafe(`alter table ${table} add column id bigint`);
    await sql.unsafe(`update ${table} set id = seq`);
    await sql.unsafe(`alter table ${table} alter column id set not null`);
    for (const statement of createTable(after).slice(1)) await sql.unsafe(statement);
  }
  if (old.contract !== undefined && after.contract === undefined) {
    await sql.unsafe(`drop trigger ${trigger} on ${table}`);
    await sql.unsafe(`alter table ${table} drop column id`);
  }
}

/** Key scopes, idempotency keys and changes follow; each change keeps the name that it was recorded under. */
async function renameCollection(sql: SQL, from: string, to: string): Promise<void> {
  await sql.unsafe(`alter table ${identifier(from)} rename to ${identifier(to)}`);
  const [trigger] = await sql`select tgname from pg_trigger where tgname = ${`${from}_own_id`}`.values();
  if (trigger !== undefined) {
    await sql.unsafe(
      `alter trigger ${identifier(`${from}_own_id`)} on ${identifier(to)} rename to ${identifier(`${to}_own_id`)}`,
    );
    await sql.unsafe(`alter index ${identifier(`${from}_by_id`)} rename to ${identifier(`${to}_by_id`)}`);
  }
  await renameVersion(sql, from, to);
  await sql`delete from idempotency_keys where collection = ${to}`;
  await sql`update changes set collection = ${to} where collection = ${from}`;
  await sql`update idempotency_keys set collection = ${to} where collection = ${from}`;
  await sql`update api_keys set collections = trim(both ',' from replace(',' || collections || ',', ${`,${from},`}, ${`,${to},`}))
            where collections is not null`;
}

async function requireUnique(sql: SQL, change: CollectionChange, after: Collection): Promise<void> {
  for (const rule of rulesToCheck(change, after.unique)) {
    const [row] = await sql.unsafe(equalValues(dialect, after, rule)).values();
    if (row !== undefined) throw uniqueViolation(after.name, rule, row[0], row[1]);
  }
}

async function requireChecks(sql: SQL, change: CollectionChange, after: Collection): Promise<void> {
  for (const rule of checksToCheck(change, after.checks)) {
    const [row] = await sql.unsafe(brokenCheck(dialect, after, rule)).values();
    if (row !== undefined) throw checkViolation(after.name, rule, row[0]);
  }
}

/** What a reference refers to is there, also where its values were something else before, or are a default. */
async function requireTargets(sql: SQL, { name, after, before }: CollectionChange): Promise<void> {
  for (const [key, { to }] of Object.entries(after.fields)) {
    if (to === undefined || before?.declaration.fields[key]?.to === to) continue;
    const [row] = await sql.unsafe(lostReference(identifier(name), identifier(key), identifier(to))).values();
    if (row !== undefined) throw referenceViolation(`${name}.${key}`, to, row[0], row[1]);
  }
}
