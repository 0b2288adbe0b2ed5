/** Tables of the collections in PostgreSQL, and the statements that read them. */
import type { Collection } from '../../domain/collection.ts';
import type { Kinds } from '../../domain/encode.ts';
import type { ColumnKind } from '../../domain/record.ts';
import type { Dialect } from '../filter.ts';
import { bounded, moment, types } from './expressions.ts';

export type Shape = { readonly name: string; readonly fields: Kinds };

export const quoted = ({ fields }: Shape) => Object.keys(fields).map((key) => `"${key}"`);

export function createTable(shape: Shape): string[] {
  const { name, fields } = shape;
  const declared = Object.entries(fields).map(([key, { kind }]) => `"${key}" ${types[kind]} not null`);
  const columns = [
    'seq bigint generated always as identity primary key',
    ...declared,
    'version bigint not null',
    'created_at timestamptz(3) not null',
    'updated_at timestamptz(3) not null',
  ];
  return [
    `create table "${name}" (${columns.join(', ')})`,
    `create index "${name}_by_id" on "${name}" (id, seq)`,
    // The default id is the sequence number, which only the trigger knows before the row is stored.
    `create trigger "${name}_own_id" before insert on "${name}" for each row when (new.id is null)
       execute function shelf_own_id()`,
  ];
}

/** Indexes of the fields that are often queried. An existing table may lack some. */
export function indexesOf({ name, indexes }: Collection): { readonly name: string; readonly statement: string }[] {
  return indexes.map((field) => ({
    name: `${name}_by_${field}`,
    statement: `create index if not exists "${name}_by_${field}" on "${name}" ("${field}", seq)`,
  }));
}

/** The columns of `createTable`, with the type names of information_schema. */
export function columnTypes({ fields }: Shape): string[] {
  const declared = Object.entries(fields).map(([key, { kind }]) => `${key} ${casts[kind]}`);
  const time = 'timestamp with time zone';
  return ['seq bigint', ...declared, 'version bigint', `created_at ${time}`, `updated_at ${time}`];
}

export function readStatements(shape: Shape) {
  const { name } = shape;
  const columns = quoted(shape).join(', ');
  const texts = Object.entries(shape.fields).filter(([, { kind }]) => kind === 'text');
  const size = `(${['64', ...texts.map(([key]) => `octet_length("${key}")`)].join(' + ')})`;
  return {
    find: `select ${columns} from "${name}" where id = $1::bigint order by seq limit 1`,
    first: `select ${columns}, seq, version from "${name}" where id = $1::bigint order by seq limit 1`,
    // As many rows as fit into $3 bytes, at least one. The last column is the count before that limit.
    page: `select ${columns}, seq, _rows from (
             select *, count(*) over () as _rows, sum(${size}) over (order by seq) - ${size} as _before
             from (select * from "${name}" where seq > $1::bigint order by seq limit $2::int) as _chosen
           ) as _measured where _before < $3::bigint order by seq`,
    get: `select ${columns}, version, ${moment('created_at')}, ${moment('updated_at')} from "${name}" where seq = $1::bigint`,
    /** Columns: sequence number, fields, version, times. */
    chosen: (where: string, order: string, limit: number) =>
      // Rows are numbered after the limit; otherwise PostgreSQL would sort and number the whole table.
      bounded(
        `select seq, ${columns}, version, ${moment('created_at')}, ${moment('updated_at')}, ${size} as _size,
           row_number() over (${order}) as _place
         from (select * from "${name}" ${where} ${order} limit ${limit}) as _limited`,
      ),
    total: `select count(*)::int from "${name}"`,
    count: `select count(*)::int from "${name}"`,
    // The planner's statistics; an exact count if they say 100,000 rows or fewer.
    estimate: `select case when reltuples > 100000 then reltuples::bigint else (select count(*) from "${name}") end
               from pg_class where oid = '"${name}"'::regclass`,
  };
}

const casts: Readonly<Record<ColumnKind, string>> = { ...types, text: 'text', time: 'timestamptz' };

export function dialectOf(collection: Collection): Dialect {
  const columns = collection.columns;
  return {
    parameter: (index, field) => `$${index}::${casts[columns.get(field) ?? 'text']}`,
    contains: (name, parameter) => `strpos(${name}, ${parameter}) > 0`,
    startsWith: (name, parameter) => `starts_with(${name}, ${parameter})`,
  };
}
