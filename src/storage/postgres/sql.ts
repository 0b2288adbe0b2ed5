/** The SQL of the collections on PostgreSQL: their tables, and one function that applies a whole batch of writes. */
import type { Collection } from '../../domain/collection.ts';
import type { Kind, Kinds } from '../../domain/encode.ts';
import type { ColumnKind } from '../../domain/record.ts';
import { bytesAtOnce } from '../bounds.ts';
import type { Dialect } from '../filter.ts';
import { trimmedAtOnce } from '../rows/change.ts';

export type Shape = { readonly name: string; readonly fields: Kinds };

/** "SHLF": whoever holds it writes. PostgreSQL keeps such locks apart for each database. */
export const writeLock = 0x53484c46;
/** Whoever holds it migrates. */
export const migrationLock = writeLock + 1;
/** Held by a bulk beside the other, so that no more than one of all instances stands before a write that waits. */
export const bulkLock = writeLock + 2;
/** Whether any instance waits for the first. */
export const writersWaiting = `select exists (select from pg_locks
  where locktype = 'advisory' and not granted and classid = 0 and objid = ${writeLock} and objsubid = 1
    and database = (select oid from pg_database where datname = current_database()))`;

/** Told of every commit that changes something. */
export const changesChannel = 'shelf_changes';

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
  return [
    `create table "${name}" (${columns.join(', ')})`,
    `create index "${name}_by_id" on "${name}" (id, seq)`,
    // Only here is the number of a record known before it is stored.
    `create trigger "${name}_own_id" before insert on "${name}" for each row when (new.id is null)
       execute function shelf_own_id()`,
  ];
}

/** For the fields that are often asked for; there may be new ones on a table that exists. */
export function indexesOf({ name, indexes }: Collection): { readonly name: string; readonly statement: string }[] {
  return indexes.map((field) => ({
    name: `${name}_by_${field}`,
    statement: `create index if not exists "${name}_by_${field}" on "${name}" ("${field}", seq)`,
  }));
}

/** The columns that `createTable` makes, as the database tells of them. */
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
    // As many rows as fit, one at least; the last column says how many there were to choose from.
    page: `select ${columns}, seq, _rows from (
             select *, count(*) over () as _rows, sum(${size}) over (order by seq) - ${size} as _before
             from (select * from "${name}" where seq > $1::bigint order by seq limit $2::int) as _chosen
           ) as _measured where _before < $3::bigint order by seq`,
    get: `select ${columns}, version, ${moment('created_at')}, ${moment('updated_at')} from "${name}" where seq = $1::bigint`,
    /** The number comes first, then the fields, the version and the times. */
    chosen: (where: string, order: string, limit: number) =>
      // Numbered when they are chosen, or PostgreSQL would sort the whole table to number all of it.
      bounded(
        `select seq, ${columns}, version, ${moment('created_at')}, ${moment('updated_at')}, ${size} as _size,
           row_number() over (${order}) as _place
         from (select * from "${name}" ${where} ${order} limit ${limit}) as _limited`,
      ),
    total: `select count(*)::int from "${name}"`,
    count: `select count(*)::int from "${name}"`,
    // What the last look at the statistics said, unless there are few enough to count.
    estimate: `select case when reltuples > 100000 then reltuples::bigint else (select count(*) from "${name}") end
               from pg_class where oid = '"${name}"'::regclass`,
  };
}

/** Of rows with a _size and a _place, those that fit, one at least; the last column says how many there were. */
const bounded = (rows: string, bytes = String(bytesAtOnce)) => `
  select * from (
    select *, sum(_size) over (order by _place) - _size as _before, count(*) over () as _rows from (${rows}) as _chosen
  ) as _measured where _before < ${bytes} order by _place`;

/** How a moment is written, wherever it is. */
const moment = (expression: string) => `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** After the first number, at most the second, of the collections in the third, and no more bytes than the fourth. */
export const changesStatement = bounded(
  `
  select seq, collection, type, record_seq, version, ${moment('created_at')}, ${moment('at')}, ${moment('updated_at')}, record,
    octet_length(record) as _size, row_number() over (order by seq) as _place
  from changes where seq > $1::bigint and collection = any($3::text[]) order by seq limit $2::int`,
  '$4::bigint',
);

/** The last change, forgotten or not; the last that was forgotten; the gaps, behind the last of which numbers go on. */
export const historyStatement = `
  select greatest((select max(seq) from changes), _trimmed, (_gaps->-1->>1)::bigint), _trimmed, _gaps::text
  from (
    select coalesce((select value::bigint from settings where name = 'trimmed'), 0) as _trimmed,
      coalesce((select value::json from settings where name = 'gaps'), '[]') as _gaps
  ) as _noted`;

/** The database's own clock, one for all instances; never behind the last change, whatever clock a new primary has. */
const now = 'greatest(clock_timestamp(), (select at from changes order by seq desc limit 1))';
const before = (ms: string) => `${now} - ${ms}::float8 * interval '1 millisecond'`;

/**
 * How many of these changes the database lacks, the last of those that it has, and the last of all. One that was forgotten, or
 * lost before the last epoch began, is not lacking.
 */
const heldOf = (shown: string) => `
  select count(*) filter (where not _there) as lacking, coalesce(max(_change) filter (where _there), 0) as common, max(_change) as latest
  from (
    select (value->>0)::bigint as _change,
      exists (select from changes where seq = (value->>0)::bigint and at = (value->>1)::timestamptz)
        or (value->>0)::bigint <= coalesce((select value::bigint from settings where name = 'trimmed'), 0)
        or exists (
          select from settings, json_array_elements(settings.value::json) as _gap
          where name = 'gaps' and (_pair.value->>0)::bigint > (_gap.value->>0)::bigint
            and (_pair.value->>0)::bigint <= (_gap.value->>1)::bigint
        ) as _there
    from json_array_elements(${shown}) as _pair
  ) as _pairs`;

/** The number and the time of the last change, as an array. */
export const newestChange = `select json_build_array(seq, ${moment('at')}) from changes order by seq desc limit 1`;

/** The last change, and how many of those in the parameter are lacking. */
export const lookStatement = `
  select (${newestChange}), (select lacking from (${heldOf('$1::text::json')}) as _held)`;

/** Of what was done under a key; the write function does the same for single records. */
export const keyStatements = {
  find: `select digest, ${moment('at')}, record_seq, record from idempotency_keys
         where collection = $1 and key = $2 and at >= ${before('$3')}`,
  note: `insert into idempotency_keys values ($1, $2, $3, ${now}, $4::bigint, $5)
         on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
           record_seq = excluded.record_seq, record = excluded.record`,
  forget: `delete from idempotency_keys where at < ${before('$1')}`,
};

export const trimStatement = `
  with gone as (
    delete from changes where seq in (
      select seq from (
        select seq, max(at) over (order by seq) as newest from changes order by seq limit ${trimmedAtOnce}
      ) as oldest where newest < ${before('$1')}
    ) returning seq
  ),
  noted as (
    insert into settings select 'trimmed', max(seq)::text from gone having count(*) > 0
    on conflict (name) do update set value = excluded.value
  )
  select count(*)::int from gone`;

const casts: Readonly<Record<ColumnKind, string>> = { ...types, text: 'text', time: 'timestamptz' };

export function dialectOf(collection: Collection): Dialect {
  const columns = collection.columns;
  return {
    parameter: (index, field) => `$${index}::${casts[columns.get(field) ?? 'text']}`,
    contains: (name, parameter) => `strpos(${name}, ${parameter}) > 0`,
    startsWith: (name, parameter) => `starts_with(${name}, ${parameter})`,
  };
}

/**
 * A batch has runs: `{"to": collection, "add": [record, ...]}`, where a record without an id gets its number for
 * one, `{"to", "remove": id, "first": seq}`, `{"to", "update": fields, "seq"}` or `{"to", "discard": seq}`, each of these
 * with the `versions` that the record must have one of, and those in `none` that it must not have, a star for any. The
 * answer is `{"at": moment, "last": change, "epoch": number or null, "outcomes": [...]}` as text, with an outcome for each
 * write, in order.
 *
 * The instance says in `shown` which changes its clients have heard of. A primary that lacks one has lost a part of the
 * history, as after a failover to a standby that was behind: a new epoch begins, so that no number is given out twice.
 *
 * The lock comes first and ends with the transaction, so numbers are given out in the order in which they become visible,
 * on every instance. Each statement behind it sees what was committed before it was had.
 */
export function writeFunction(shapes: readonly Shape[]): { readonly name: string; readonly statement: string } {
  const branches = shapes.map(
    (shape) => `if _run->>'to' = '${shape.name}' then
      if _run->'add' is not null then ${addRun(shape)}
      elsif _run->'once' is not null then ${addOnce(shape)}
      elsif _run->'remove' is not null then
        select seq into _seq from "${shape.name}" where id = (_run->>'remove')::bigint order by seq limit 1;
        if _seq <> (_run->>'first')::bigint then
          _outcomes := _outcomes || ',"conflict"';
        else ${discardOne(shape)}
        end if;
      else
        _seq := coalesce(_run->>'seq', _run->>'discard')::bigint;
        if _run->'update' is not null then ${updateOne(shape)} else ${discardOne(shape)} end if;
      end if;
    end if;`,
  );
  // No field's name starts with _, so none of these can be taken for one.
  const body = `
declare
  _all json := _batch::json;
  _lacking int;
  _common bigint;
  _shown bigint;
  _epoch bigint;
  _outcomes text := '';
  _added text;
  _record text;
  _run json;
  _seq bigint;
  _old record;
  _moment timestamptz(3);
begin
  perform pg_advisory_xact_lock(${writeLock});
  select lacking, common, latest into _lacking, _common, _shown from (${heldOf("_all->'shown'")}) as _held;
  if _lacking > 0 then
    _epoch := shelf_new_epoch(_shown, _common);
  end if;
  _moment := ${now};
  for _run in select value from json_array_elements(_all->'runs') loop
    ${branches.join('\n    ')}
  end loop;
  -- Told to the others when the transaction has ended, and once however often it is said in it.
  perform pg_notify('${changesChannel}', '');
  return '{"at":"' || ${moment('_moment')} || '","last":' || coalesce((${newestChange})::text, 'null')
    || ',"epoch":' || coalesce(_epoch::text, 'null') || ',"outcomes":[' || substr(_outcomes, 2) || ']}';
end`;
  // Named by what it does, so that instances of two versions can work beside each other during an upgrade.
  const name = `shelf_write_${Bun.hash(body).toString(36)}`;
  return {
    name,
    statement: `create function ${name}(_batch text) returns text language plpgsql as $shelf$${body}$shelf$`,
  };
}

const castOf = (source: string, key: string, kind: Kind) =>
  `(${source}->>'${key}')::${kind === 'text' ? 'text' : types[kind]}`;

/** JSON keeps the text of a record as it was sent, digit for digit. */
function addRun(shape: Shape): string {
  const { name, fields } = shape;
  const values = Object.entries(fields).map(([key, { kind }]) => castOf('_value', key, kind));
  return `
        with _given as (
          select value as _value, ordinality as _place from json_array_elements(_run->'add') with ordinality
        ),
        _new as (
          insert into "${name}" (${quoted(shape).join(', ')}, version, created_at, updated_at)
          select ${values.join(', ')}, 1, _moment, _moment from _given order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          select '${name}', 'created', seq, 1, _moment, _moment,
            case when _value->'id' is null then '{"id":' || seq || ',' || substr(_value::text, 2) else _value::text end
          from _numbered join _given on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;`;
}

/** The record is added as any other, from a run of its own. */
function addOnce(shape: Shape): string {
  return `
        select * into _old from idempotency_keys where collection = '${shape.name}' and key = _run->>'key';
        if _old.at >= _moment - (_run->>'kept_ms')::float8 * interval '1 millisecond' then
          _outcomes := _outcomes || case when _old.digest = _run->>'digest'
            then ',' || json_build_object('repeated', _old.record_seq, 'at', ${moment('_old.at')}, 'json', _old.record)::text
            else ',"mismatch"' end;
        else
          _run := json_build_object('add', json_build_array(_run->'once'), 'key', _run->'key', 'digest', _run->'digest');
          ${addRun(shape)}
          insert into idempotency_keys select '${shape.name}', _run->>'key', _run->>'digest', _moment, record_seq, record
            from changes where collection = '${shape.name}' and seq = (select max(seq) from changes)
          on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
            record_seq = excluded.record_seq, record = excluded.record;
        end if;`;
}

/** Goes on with the record in _old, unless there is none or the precondition of the run does not hold. */
function whenMeant({ name }: Shape, change: string): string {
  return `
        select * into _old from "${name}" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        else${change}
        end if;`;
}

/** Past all that a lost history may have given the record, where there was one. */
const nextVersion =
  "greatest(version + 1, (select (value::json->-1->>1)::bigint + 1 from settings where name = 'gaps'))";

/** A field that was not sent keeps its value. The record is written as one that is deleted is. */
function updateOne(shape: Shape): string {
  const { name, fields } = shape;
  const given = `_run->'update'`;
  const values = Object.entries(fields).map(
    ([key, { kind }]) =>
      `"${key}" = case when ${given}->'${key}' is null then "${key}" else ${castOf(given, key, kind)} end`,
  );
  return whenMeant(
    shape,
    `
          update "${name}" set ${values.join(', ')}, version = ${nextVersion}, updated_at = _moment where seq = _seq
            returning * into _old;
          _record := ${recordOf(shape)};
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          values ('${name}', 'updated', _seq, _old.version, _old.created_at, _moment, _record);
          _outcomes := _outcomes || ',' || json_build_object(
            'version', _old.version, 'createdAt', ${moment('_old.created_at')}, 'json', _record)::text;`,
  );
}

/** The record in _old as JSON; a double is written with all its digits, and an integer as it is. */
function recordOf({ fields }: Shape): string {
  const columns = Object.keys(fields).map((key) => `_old."${key}" as "${key}"`);
  return `(select row_to_json(_fields)::text from (select ${columns.join(', ')}) as _fields)`;
}

function discardOne(shape: Shape): string {
  const { name } = shape;
  return whenMeant(
    shape,
    `
          delete from "${name}" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, record, updated_at)
          values ('${name}', 'deleted', _seq, _old.version, _old.created_at, _moment,
                  ${recordOf(shape)}, _old.updated_at);
          _outcomes := _outcomes || ',"done"';`,
  );
}
