/** The function in PostgreSQL that applies a whole batch of writes. */
import type { Kind } from '../../domain/encode.ts';
import { moment, now, types } from './expressions.ts';
import { heldOf, newestChange } from './history-sql.ts';
import { changesChannel, writeLock } from './locks.ts';
import { quoted, type Shape } from './sql.ts';

/**
 * A batch is `{"shown": [change, ...], "runs": [...]}`. A run is one of
 * - `{"to": collection, "add": [record, ...]}`: a record without an id gets its sequence number as id,
 * - `{"to", "once": record, "key", "digest", "kept_ms"}`: a record under an idempotency key,
 * - `{"to", "remove": id, "first": seq}`, `{"to", "update": fields, "seq"}` or `{"to", "discard": seq}`, each with a
 *   precondition: the record has one of `versions`, and none of `none`, where "*" stands for all.
 *
 * The result is `{"at": moment, "last": change, "epoch": number or null, "outcomes": [...]}` as text, with one outcome per
 * write, in order.
 *
 * `shown` lists changes that clients of the instance have seen. A primary that lacks one has lost a part of the history, for
 * example after a failover to a standby that lagged: a new epoch begins, so that no number is assigned twice.
 *
 * The lock is taken first and released with the transaction, so numbers are assigned in the order in which they become
 * visible, on every instance. Each statement after it sees everything that was committed before the lock was acquired.
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
  // No field name starts with _, so a variable cannot be confused with a column.
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
  // The name has a digest of the body, so that instances of two versions can run side by side during an upgrade.
  const name = `shelf_write_${Bun.hash(body).toString(36)}`;
  return {
    name,
    statement: `create function ${name}(_batch text) returns text language plpgsql as $shelf$${body}$shelf$`,
  };
}

const castOf = (source: string, key: string, kind: Kind) =>
  `(${source}->>'${key}')::${kind === 'text' ? 'text' : types[kind]}`;

/** The type json keeps the text of a record as it was sent, digit for digit. */
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

/** If the key is new, the record is added by `addRun`, as a run of one. */
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

/** Runs `change` with the record in _old. Outcome `missing` without a record, `conflict` if the precondition does not hold. */
function ifPrecondition({ name }: Shape, change: string): string {
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

/** After a lost history, versions continue above all that it may have assigned. */
const nextVersion =
  "greatest(version + 1, (select (value::json->-1->>1)::bigint + 1 from settings where name = 'gaps'))";

/** A field that was not sent keeps its value. The record is encoded as for a deletion. */
function updateOne(shape: Shape): string {
  const { name, fields } = shape;
  const given = `_run->'update'`;
  const values = Object.entries(fields).map(
    ([key, { kind }]) =>
      `"${key}" = case when ${given}->'${key}' is null then "${key}" else ${castOf(given, key, kind)} end`,
  );
  return ifPrecondition(
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

/** The record in _old as JSON. Doubles and integers keep all their digits. */
function recordOf({ fields }: Shape): string {
  const columns = Object.keys(fields).map((key) => `_old."${key}" as "${key}"`);
  return `(select row_to_json(_fields)::text from (select ${columns.join(', ')}) as _fields)`;
}

function discardOne(shape: Shape): string {
  const { name } = shape;
  return ifPrecondition(
    shape,
    `
          delete from "${name}" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, record, updated_at)
          values ('${name}', 'deleted', _seq, _old.version, _old.created_at, _moment,
                  ${recordOf(shape)}, _old.updated_at);
          _outcomes := _outcomes || ',"done"';`,
  );
}
