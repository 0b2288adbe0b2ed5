/** The SQL of a collection: its table, and the statements that read and write it. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../../domain/record/collection.ts';
import { absentValue } from '../../../domain/record/row.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import type { Field, SqliteValue } from '../../../domain/types/type.ts';
import { indexName, uniqueIndexName } from '../../index-name.ts';
import { type Dialect, predicate } from '../../query-sql.ts';
import { sameFolded } from './folded-sql.ts';
import { matchOf, wordsTable } from './words-sql.ts';

/** The part of a collection that SQL depends on. */
export type Shape = Pick<Collection, 'name' | 'fields' | 'contract'>;

/** The declaration of a column, without its default: another default is the same column. */
export function columnDefinition(key: string, { sqlite, declared }: Field): string {
  const name = identifier(key);
  const required = declared.optional ? '' : ' not null';
  const condition = sqlite.check?.(name);
  const checked = declared.optional ? `${name} is null or ${condition}` : condition;
  return `${name} ${sqlite.column}${required}${condition === undefined ? '' : ` check (${checked})`}${referenceOf(declared)}`;
}

/** The check is deferred: a record and those that refer to it can be deleted in any order within one commit. */
function referenceOf({ to }: Field['declared']): string {
  return to === undefined ? '' : ` references ${identifier(to)} (seq) deferrable initially deferred`;
}

/** The default of a column: a server with an earlier file does not know the field, and adds records without it. */
export function defaultOf(field: Field): string {
  const preset = presetOf(field);
  return preset === undefined ? '' : ` default ${preset}`;
}

/** The value of a field that is left out, as SQL; undefined if the field is required. */
export function presetOf(field: Field): string | undefined {
  if (field.clock !== undefined) return field.clock.sqlite.preset;
  const value = absentValue(field);
  if (value === null) return 'null';
  return typeof value === 'object' ? undefined : sqlLiteral(field.sqlite.bind(value));
}

function sqlLiteral(value: SqliteValue): string {
  if (typeof value === 'string') return literal(value);
  return Object.is(value, -0) ? '-0.0' : String(value);
}

export function createTable({ name, fields, contract }: Shape, table = name): string[] {
  const columns = [
    'seq integer primary key autoincrement',
    ...Object.entries(fields).map(([key, field]) => `${columnDefinition(key, field)}${defaultOf(field)}`),
    'version integer not null',
    'created_at text not null',
    'updated_at text not null',
  ];
  return [
    `create table ${identifier(table)} (${columns.join(', ')}) strict`,
    ...(contract === undefined
      ? []
      : [`create index if not exists ${identifier(`${name}_by_id`)} on ${identifier(name)} (id, seq)`]),
  ];
}

/** For fields that are often filtered or sorted by, and for unique ones. An existing table may get new indexes. */
export function createIndexes(collection: Collection): string[] {
  const { name, indexes, unique } = collection;
  const table = identifier(name);
  return [
    ...indexes.map(
      (fields) =>
        `create index if not exists ${identifier(indexName(name, fields))} on ${table} (${fields.map(identifier).join(', ')}, seq)`,
    ),
    ...unique.map((rule) => {
      const created = `create unique index if not exists ${identifier(uniqueIndexName(name, rule))} on ${table} (${rule.fields.map(identifier).join(', ')})`;
      return rule.where === undefined ? created : `${created} where ${predicate(dialect, collection, rule.where)}`;
    }),
  ];
}

const columns = ({ fields }: Shape) => Object.keys(fields).map(identifier).join(', ');

export function readStatements(shape: Shape) {
  const table = identifier(shape.name);
  return {
    page: `select seq, version, created_at, updated_at, ${columns(shape)} from ${table} where seq > ? order by seq limit ?`,
    all: `select ${columns(shape)} from ${table} order by seq`,
    find: `select ${columns(shape)} from ${table} where id = ? order by seq limit 1`,
    get: `select seq, version, created_at, updated_at, ${columns(shape)} from ${table} where seq = ?`,
    select: `select seq, version, created_at, updated_at, ${columns(shape)} from ${table}`,
    last: `select max(seq) as seq from ${table}`,
    total: `select count(*) from ${table}`,
  };
}

export const dialect: Dialect<SqliteValue> = {
  parameter: (index) => `?${index}`,
  bind: ({ field }, value) => field.sqlite.bind(value),
  literal: ({ field }, value) => sqlLiteral(field.sqlite.bind(value)),
  contains: (name, parameter) => `instr(${name}, ${parameter}) > 0`,
  startsWith: (name, parameter) => `substr(${name}, 1, length(${parameter})) = ${parameter}`,
  sameFolded,
  has: ({ sqlite }, column, parameter) => sqlite.has?.(column, parameter) ?? 'false',
  // For few records: each is looked up.
  words({ collection, table, fields, lookups }, bind) {
    const [words, query] = [wordsTable(collection), bind(matchOf(fields, lookups))];
    return `exists (select 1 from ${words} where ${words} match ${query} and ${words}.rowid = ${table}.seq)`;
  },
};

/**
 * Inserts `rows` records. Parameters: the time, the record id of the first, and the fields of each. `or fail`: the writer undoes the whole
 * write after an error, so SQLite need not copy every page to be able to undo this statement alone.
 */
export function insertStatement(shape: Shape, rows: number): string {
  const marks = Object.keys(shape.fields).map(() => '?');
  const values = Array.from({ length: rows }, (_, row) => `(?2 + ${row}, ${marks.join(', ')}, 1, ?1, ?1)`);
  return `insert or fail into ${identifier(shape.name)} (seq, ${columns(shape)}, version, created_at, updated_at) values ${values.join(', ')}`;
}

export function writeStatements(shape: Shape) {
  const [table, name] = [identifier(shape.name), literal(shape.name)];
  return {
    get: `select * from ${table} where seq = ?`,
    update: (keys: readonly string[]) =>
      `update or fail ${table} set ${keys.map((key) => `${identifier(key)} = ?, `).join('')}version = ?, updated_at = ? where seq = ?`,
    discard: `delete from ${table} where seq = ?`,
    firstRecordId: `select min(seq) as seq from ${table} where id = ?`,
    lastRecordId: `select coalesce(max(seq), 0) as seq from sqlite_sequence where name = ${name}`,
  };
}

/** The number of the last change, even if it was trimmed. */
export const lastChangeStatement = "select seq from sqlite_sequence where name = 'changes'";

export function lastChangeIn(db: Database): number {
  using newest = db.prepare<{ seq: number }, []>(lastChangeStatement);
  return newest.get()?.seq ?? 0;
}
