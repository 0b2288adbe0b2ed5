/** The SQL of a collection: its table, and the statements that read and write it. */
import type { Database } from 'bun:sqlite';
import type { Kind, Kinds } from '../../domain/encode.ts';
import type { Dialect } from '../filter.ts';

/** The part of a collection that SQL depends on. It is sent to another thread, so it contains no functions. */
export type Shape = { readonly name: string; readonly fields: Kinds };

/**
 * A number column is ANY, because SQLite stores -0.0 in a REAL column as the integer 0. The check replaces the missing
 * type.
 */
const types: Readonly<Record<Kind, string>> = { integer: 'integer', text: 'text', number: 'any' };

function column(name: string, kind: Kind): string {
  const check = kind === 'number' ? ` check (typeof("${name}") in ('real', 'integer'))` : '';
  return `"${name}" ${types[kind]} not null${check}`;
}

export function createTable({ name, fields }: Shape): string[] {
  const declared = Object.entries(fields).map(([key, { kind }]) => column(key, kind));
  const columns = [
    'seq integer primary key autoincrement',
    ...declared,
    'version integer not null',
    'created_at text not null',
    'updated_at text not null',
  ];
  return [
    `create table "${name}" (${columns.join(', ')}) strict`,
    `create index "${name}_by_id" on "${name}" (id, seq)`,
  ];
}

/** For fields that are often filtered or sorted by. An existing table may get new indexes. */
export function createIndexes({
  name,
  indexes,
}: {
  readonly name: string;
  readonly indexes: readonly string[];
}): string[] {
  return indexes.map((field) => `create index if not exists "${name}_by_${field}" on "${name}" ("${field}", seq)`);
}

/** The columns that `createTable` creates, with their types, to compare with an existing table. */
export function columnTypes({ fields }: Shape): string[] {
  const declared = Object.entries(fields).map(([key, { kind }]) => `${key} ${types[kind]}`);
  return ['seq integer', ...declared, 'version integer', 'created_at text', 'updated_at text'];
}

const columns = ({ fields }: Shape) =>
  Object.keys(fields)
    .map((key) => `"${key}"`)
    .join(', ');
const assignments = ({ fields }: Shape) =>
  Object.keys(fields)
    .map((key) => `"${key}" = ?`)
    .join(', ');
const firstSeq = ({ name }: Shape) => `select min(seq) from "${name}" where id = ?`;

export function readStatements(shape: Shape) {
  const { name } = shape;
  return {
    page: `select seq, ${columns(shape)} from "${name}" where seq > ? order by seq limit ?`,
    all: `select ${columns(shape)} from "${name}" order by seq`,
    find: `select ${columns(shape)} from "${name}" where seq = (${firstSeq(shape)})`,
    get: `select * from "${name}" where seq = ?`,
    select: `select seq, version, created_at, updated_at, ${columns(shape)} from "${name}"`,
    total: `select count(*) from "${name}"`,
    count: `select count(*) as count from "${name}"`,
  };
}

export const dialect: Dialect = {
  parameter: (index) => `?${index}`,
  contains: (name, parameter) => `instr(${name}, ${parameter}) > 0`,
  startsWith: (name, parameter) => `substr(${name}, 1, length(${parameter})) = ${parameter}`,
};

/** Inserts `rows` records. Parameters: the time, the seq of the first, and the fields of each. */
export function insertStatement(shape: Shape, rows: number): string {
  const marks = Object.keys(shape.fields).map(() => '?');
  const values = Array.from({ length: rows }, (_, row) => `(?2 + ${row}, ${marks.join(', ')}, 1, ?1, ?1)`);
  return `insert into "${shape.name}" (seq, ${columns(shape)}, version, created_at, updated_at) values ${values.join(', ')}`;
}

/** Inserts their change rows. Parameters: the time, the seq of the first, and the JSON of each. */
export function createdStatement({ name }: Shape, rows: number): string {
  const values = Array.from({ length: rows }, (_, row) => `('${name}', 'created', ?2 + ${row}, 1, ?1, ?1, ?)`);
  return `insert into changes (collection, type, record_seq, version, created_at, at, record) values ${values.join(', ')}`;
}

export function writeStatements(shape: Shape) {
  const { name } = shape;
  return {
    remove: `delete from "${name}" where seq = (${firstSeq(shape)}) returning *`,
    removed: `insert into changes (collection, type, record_seq, version, created_at, at, record, updated_at)
              values ('${name}', 'deleted', ?, ?, ?, ?, ?, ?)`,
    get: `select * from "${name}" where seq = ?`,
    update: `update "${name}" set ${assignments(shape)}, version = ?, updated_at = ? where seq = ?`,
    updated: `insert into changes (collection, type, record_seq, version, created_at, at, record)
               values ('${name}', 'updated', ?, ?, ?, ?, ?)`,
    discard: `delete from "${name}" where seq = ?`,
    firstSeq: `select min(seq) as seq from "${name}" where id = ?`,
    lastSeq: `select coalesce(max(seq), 0) as seq from sqlite_sequence where name = '${name}'`,
  };
}

/** The number of the last change, even if it was trimmed. */
export const lastChangeStatement = "select seq from sqlite_sequence where name = 'changes'";

export function lastChangeIn(db: Database): number {
  using newest = db.prepare<{ seq: number }, []>(lastChangeStatement);
  return newest.get()?.seq ?? 0;
}
