/** Tables of the collections in PostgreSQL, and the statements that read them. */
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import type { Field } from '../../../domain/types/type.ts';
import { sameWhenFolded } from '../../../domain/where/case-folding.ts';
import { indexName, uniqueIndexName, wordsIndexName } from '../../index-name.ts';
import { type Dialect, predicate } from '../../query-sql.ts';
import { wordsColumn } from '../../word-index.ts';
import { bounded } from './expressions.ts';
import { wordsColumns } from './words.ts';

export type Shape = Pick<Collection, 'name' | 'fields' | 'contract' | 'searched'>;

export const quoted = ({ fields }: Shape) => Object.keys(fields).map(identifier);

export function columnDefinition(key: string, { postgres, declared }: Field): string {
  return `${identifier(key)} ${postgres.column}${declared.optional ? '' : ' not null'}`;
}

export function createTable({ name, fields, contract, searched }: Shape): string[] {
  const columns = [
    'seq bigint generated always as identity primary key',
    ...Object.entries(fields).map(([key, field]) => columnDefinition(key, field)),
    'version bigint not null',
    'created_at timestamptz(3) not null',
    'updated_at timestamptz(3) not null',
    ...wordsColumns({ searched }).map((column) => `${column} tsvector`),
  ];
  const table = identifier(name);
  const create = `create table ${table} (${columns.join(', ')})`;
  if (contract === undefined) return [create];
  return [
    create,
    `create index ${identifier(`${name}_by_id`)} on ${table} (id, seq)`,
    // The default id is the sequence number, which only the trigger knows before the row is stored.
    `create trigger ${identifier(`${name}_own_id`)} before insert on ${table} for each row when (new.id is null)
       execute function shelf_own_id()`,
  ];
}

type Named = { readonly name: string; readonly statement: string };

/** Indexes of the fields that are often queried, and of unique fields. An existing table may lack some. */
export function indexesOf(collection: Collection): Named[] {
  const { name, indexes, unique, searched } = collection;
  const table = identifier(name);
  return [
    ...indexes.map((fields) => ({
      name: indexName(name, fields),
      statement: `create index if not exists ${identifier(indexName(name, fields))} on ${table} (${fields.map(identifier).join(', ')}, seq)`,
    })),
    ...unique.map((rule) => {
      const index = uniqueIndexName(name, rule);
      const created = `create unique index if not exists ${identifier(index)} on ${table} (${rule.fields.map(identifier).join(', ')})`;
      const statement =
        rule.where === undefined ? created : `${created} where ${predicate(dialect, collection, rule.where)}`;
      return { name: index, statement };
    }),
    ...searched.map((field) => {
      const [index, column] = [wordsIndexName(name, field), identifier(wordsColumn(field))];
      const statement = `create index if not exists ${identifier(index)} on ${table} using gin (${column})`;
      return { name: index, statement };
    }),
  ];
}

/** Conditions on single fields, and references to other tables, which may not exist yet when this one is created. */
export function constraintsOf({ name, fields, references, searched }: Collection): Named[] {
  const checks = Object.entries(fields).flatMap(([key, { postgres }]) =>
    postgres.check === undefined ? [] : [[`${key}:check`, `check (${postgres.check(identifier(key))})`] as const],
  );
  // A write that forgets the words is refused.
  const worded = searched.map((field) => {
    const [text, words] = [identifier(field), identifier(wordsColumn(field))];
    return [wordsColumn(field), `check ((${text} is null) = (${words} is null))`] as const;
  });
  const foreign = references.map(
    ({ field, to }) =>
      [
        `${field}:reference`,
        // Deferred: a record and those that refer to it can be deleted in any order within one commit.
        `foreign key (${identifier(field)}) references ${identifier(to)} (seq) deferrable initially deferred`,
      ] as const,
  );
  return [...checks, ...worded, ...foreign].map(([suffix, condition]) => {
    const constraint = indexName(name, [suffix]);
    return {
      name: constraint,
      statement: `alter table ${identifier(name)} add constraint ${identifier(constraint)} ${condition}`,
    };
  });
}

/** The columns of `createTable`, with the type names of information_schema. */
export function columnTypes({ fields, searched }: Shape): Map<string, string> {
  const time = 'timestamp with time zone';
  return new Map([
    ['seq', 'bigint'],
    ...Object.entries(fields).map(([key, { postgres }]) => [key, postgres.name] as const),
    ['version', 'bigint'],
    ['created_at', time],
    ['updated_at', time],
    ...searched.map((field) => [wordsColumn(field), 'tsvector'] as const),
  ]);
}

export function readStatements(shape: Shape) {
  const table = identifier(shape.name);
  const fields = Object.entries(shape.fields);
  // A result is not named like its column: `order by` would take it for the column, and sort a price as text.
  const columns = fields.map(([key, { postgres }], at) => `${postgres.select(identifier(key))} as _${at}`).join(', ');
  const sizes = fields.flatMap(([key, { postgres, declared }]) => {
    const size = postgres.size?.(identifier(key));
    return size === undefined ? [] : [declared.optional ? `coalesce(${size}, 0)` : size];
  });
  const size = `(${['64', ...sizes].join(' + ')})`;
  /** The columns, with null for those that can be large in rows of more than `most` bytes. */
  const columnsUpTo = (most: string) =>
    fields
      .map(([key, { postgres }], at) => {
        const column = postgres.select(identifier(key));
        return `${postgres.size === undefined ? column : `case when ${size} <= ${most} then ${column} end`} as _${at}`;
      })
      .join(', ');
  return {
    find: `select ${columns} from ${table} where id = $1::bigint order by seq limit 1`,
    first: `select ${columns}, seq, version from ${table} where id = $1::bigint order by seq limit 1`,
    // As many rows as fit into $3 bytes, at least one. The last column is the count before that limit.
    page: `select ${columns}, seq, _rows from (
             select *, count(*) over () as _rows, sum(${size}) over (order by seq) - ${size} as _before
             from (select * from ${table} where seq > $1::bigint order by seq limit $2::int) as _chosen
           ) as _measured where _before < $3::bigint order by seq`,
    get: `select ${columns}, version, created_at, updated_at from ${table} where seq = $1::bigint`,
    /** The records with these ids, in their order. Columns as for `chosenUpTo`. */
    some: bounded(
      `select seq, ${columns}, version, created_at, updated_at, ${size} as _size, _place
       from unnest($1::bigint[]) with ordinality as _asked(_seq, _place) join ${table} on seq = _seq`,
    ),
    /** `from` has the rows, under the name of the table. Columns: record id, fields, version, times. A row of more than `most` bytes has no version, and null for its large values. */
    chosenUpTo: (from: string, order: string, limit: number, most: string) =>
      `select seq, ${columnsUpTo(most)}, case when ${size} <= ${most} then version end as _version, created_at, updated_at
       from ${from} ${order} limit ${limit}`,
    /** The same columns, or nothing at all if the rows have `bytes` or more. */
    chosenIfSmall: (from: string, order: string, limit: number, bytes: string) =>
      `with "_chosen" as materialized (select * from ${from} ${order} limit ${limit})
       select seq, ${columns}, version, created_at, updated_at from "_chosen" as ${table}
       where (select sum(${size}) from "_chosen") < ${bytes} ${order}`,
    /** The same columns, as many rows as fit. The last column is the count before that limit. */
    chosenThatFit: (from: string, order: string, limit: number | '$2::int', bytes: string) =>
      // Measured after the limit, or PostgreSQL would measure the whole table; a row that does not fit is not written as text.
      `select seq, ${columns}, version, created_at, updated_at, _rows from (
         select *, count(*) over () as _rows, sum(_size) over (${order}) - _size as _before
         from (select *, ${size} as _size from ${from} ${order} limit ${limit}) as _limited
       ) as _measured where _before < ${bytes} ${order}`,
    total: `select count(*)::int from ${table}`,
    count: `select count(*)::int from ${table}`,
    // The planner's statistics; an exact count if they say 100,000 rows or fewer.
    estimate: `select case when reltuples > 100000 then reltuples::bigint else (select count(*) from ${table}) end
               from pg_class where oid = ${literal(table)}::regclass`,
  };
}

/** By its code, no character means anything else. */
function regexOf(character: string): string {
  const codes = sameWhenFolded(character).map((one) => `\\U${(one.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`);
  return codes.length === 1 ? codes.join('') : `[${codes.join('')}]`;
}

export const dialect: Dialect<string> = {
  parameter: (index, { field: { postgres } }) => `$${index}::${postgres.parameter ?? postgres.name}`,
  bind: (_, value) => String(value),
  literal: ({ field: { postgres } }, value) => `${literal(String(value))}::${postgres.parameter ?? postgres.name}`,
  contains: (name, parameter) => `strpos(${name}, ${parameter}) > 0`,
  startsWith: (name, parameter) => `starts_with(${name}, ${parameter})`,
  sameFolded(name, text, isPart, bind) {
    const pattern = Array.from(text, regexOf).join('');
    return `${name} ~ ${bind(isPart ? pattern : `^${pattern}$`)}`;
  },
  has: ({ postgres }, column, parameter) => postgres.has?.(column, parameter) ?? 'false',
  words({ table, fields, lookups }, bind) {
    // Each word may be in another field. In a single one all are looked up together.
    const queries = fields.length === 1 ? [lookups] : lookups.map((lookup) => [lookup]);
    const each = queries.map((some) => {
      const query = bind(some.map(({ word, isStart }) => `${literal(word)}${isStart ? ':*' : ''}`).join(' & '));
      const found = fields.map((field) => `${table}.${identifier(wordsColumn(field))} @@ ${query}::tsquery`);
      return found.length === 1 ? found[0] : `(${found.join(' or ')})`;
    });
    return each.join(' and ');
  },
};
