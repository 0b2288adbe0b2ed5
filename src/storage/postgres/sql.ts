/** The SQL of the collections on PostgreSQL: their tables, and one function that applies a whole batch of writes. */
import type { Kind, Kinds } from '../../domain/encode.ts';

export type Shape = { readonly name: string; readonly fields: Kinds };

/** "SHLF": whoever holds it writes. PostgreSQL keeps such locks apart for each database. */
const writeLock = 0x53484c46;
/** Whoever holds it migrates. */
export const migrationLock = writeLock + 1;

/** Text is compared byte by byte, as on every engine, whatever language the database was made for. */
const types: Readonly<Record<Kind, string>> = {
  integer: 'bigint',
  number: 'double precision',
  text: 'text collate "C"',
};

const quoted = ({ fields }: Shape) => Object.keys(fields).map((key) => `"${key}"`);

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
  return [`create table "${name}" (${columns.join(', ')})`, `create index "${name}_by_id" on "${name}" (id, seq)`];
}

/** The columns that `createTable` makes, to compare with those of a table that exists. */
export function columnNames({ fields }: Shape): string[] {
  return ['seq', ...Object.keys(fields), 'version', 'created_at', 'updated_at'];
}

export function readStatements(shape: Shape) {
  const { name } = shape;
  const columns = quoted(shape).join(', ');
  return {
    find: `select ${columns} from "${name}" where id = $1::bigint order by seq limit 1`,
    page: `select ${columns}, seq from "${name}" where seq > $1::bigint order by seq limit $2::int`,
    count: `select count(*)::int from "${name}"`,
  };
}

/**
 * A batch is an array of runs, each `{"to": collection, "add": [record, ...]}` or `{"to": collection, "remove": id}`; the
 * answer has a number for each write, in order: that of the record added or removed, or 0 where there was none to remove.
 * The lock comes first and ends with the transaction, so numbers are given out in the order in which they become visible,
 * on every instance. Each statement behind it sees what was committed before it was had.
 */
export function writeFunction(shapes: readonly Shape[]): { readonly name: string; readonly statement: string } {
  const branches = shapes.map(
    (shape) => `if _run->>'to' = '${shape.name}' then
      if _run->'add' is not null then ${addRun(shape)} else ${removeOne(shape)} end if;
    end if;`,
  );
  // No field's name starts with _, so none of these can be taken for one.
  const body = `
declare
  _outcomes bigint[] := '{}';
  _run json;
  _seqs bigint[];
  _gone record;
  _moment timestamptz(3);
begin
  perform pg_advisory_xact_lock(${writeLock});
  _moment := clock_timestamp();
  for _run in select value from json_array_elements(_batch::json) loop
    ${branches.join('\n    ')}
  end loop;
  return _outcomes;
end`;
  // Named by what it does, so that instances of two versions can work beside each other during an upgrade.
  const name = `shelf_write_${Bun.hash(body).toString(36)}`;
  return {
    name,
    statement: `create function ${name}(_batch text) returns bigint[] language plpgsql as $shelf$${body}$shelf$`,
  };
}

/** JSON keeps the text of a record as it was sent, digit for digit. */
function addRun(shape: Shape): string {
  const { name, fields } = shape;
  const values = Object.entries(fields).map(
    ([key, { kind }]) => `(_value->>'${key}')::${kind === 'text' ? 'text' : types[kind]}`,
  );
  return `
        with _given as (select value as _value, ordinality as _place from json_array_elements(_run->'add') with ordinality),
        _added as (
          insert into "${name}" (${quoted(shape).join(', ')}, version, created_at, updated_at)
          select ${values.join(', ')}, 1, _moment, _moment from _given order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _added),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          select '${name}', 'created', seq, 1, _moment, _moment, _value::text
          from _numbered join _given on _place = _number order by _number
          returning record_seq
        )
        select array_agg(record_seq order by record_seq) into _seqs from _noted;
        _outcomes := _outcomes || _seqs;`;
}

function removeOne(shape: Shape): string {
  const { name, fields } = shape;
  const record = Object.keys(fields).map((key) => `'${key}', _gone."${key}"`);
  return `
        delete from "${name}" where seq = (
          select first.seq from "${name}" first where first.id = (_run->>'remove')::bigint order by first.seq limit 1
        ) returning * into _gone;
        if _gone.seq is not null then
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          values ('${name}', 'deleted', _gone.seq, _gone.version, _gone.created_at, _moment,
                  json_build_object(${record.join(', ')})::text);
        end if;
        _outcomes := _outcomes || coalesce(_gone.seq, 0);`;
}
