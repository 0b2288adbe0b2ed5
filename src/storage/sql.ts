/** The SQL of a collection: its table, and the statements that read and write it. */
import type { Collection } from '../domain/collection.ts';
import type { Field } from '../domain/field.ts';

/**
 * A number column is ANY and not REAL because SQLite keeps a REAL -0.0 as the integer 0; the check makes up for the
 * missing type.
 */
function column(name: string, field: Field): string {
  if (field.kind === 'integer') return `"${name}" integer not null`;
  if (field.kind === 'text') return `"${name}" text not null`;
  return `"${name}" any not null check (typeof("${name}") in ('real', 'integer'))`;
}

export function createTable({ name, fields }: Collection): string[] {
  const declared = Object.entries(fields).map(([key, field]) => column(key, field));
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

/** The columns that `createTable` makes, to compare with those of a table that exists. */
export function columnNames({ fields }: Collection): string[] {
  return ['seq', ...Object.keys(fields), 'version', 'created_at', 'updated_at'];
}

export function statements({ name, fields }: Collection) {
  const declared = Object.keys(fields).map((key) => `"${key}"`);
  const first = `select seq from "${name}" where id = ? order by seq limit 1`;
  return {
    list: `select ${declared.join(', ')} from "${name}" order by seq`,
    find: `select ${declared.join(', ')} from "${name}" where seq = (${first})`,
    count: `select count(*) as count from "${name}"`,
    insert: `insert into "${name}" (${declared.join(', ')}, version, created_at, updated_at)
             values (${declared.map(() => '?').join(', ')}, 1, ?, ?) returning seq`,
    remove: `delete from "${name}" where seq = (${first}) returning *`,
  };
}
