/** New records, in the function of their collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { moment } from '../statements/expressions.ts';
import { quoted, type Shape } from '../statements/table-sql.ts';
import { wordsColumns } from '../statements/words.ts';
import { clashesOfNew, isChecked } from './clashes.ts';
import { note } from './noted-changes.ts';
import { recordText } from './record-text.ts';
import { ofNew, takeNew, wordsIn } from './written-values.ts';

export function addRun(collection: Collection): string {
  return `
        _traces := _run->'traces';${isChecked(collection) ? addEach(collection) : addTogether(collection)}`;
}

/** The type json keeps the text of a record as it was sent, digit for digit. */
function addTogether(collection: Collection): string {
  const [table, name] = [identifier(collection.name), literal(collection.name)];
  const values = Object.entries(collection.fields).map(([key, { postgres }]) => postgres.fromJson('_sent', key));
  return `
        with _input as (
          select * from ${added(collection)} with ordinality as _each(_sent${collection.searched.length === 0 ? '' : ', _words'}, _place)
        ),
        _inserted as (
          insert into ${table} (${columns(collection)})
          select ${[...values, ...wordsIn(collection, '_words')].join(', ')}, 1, _moment, _moment from _input order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _inserted),
        _stored as (
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record)
          select ${name}, 'created', seq, 1, _moment, _moment, _by, coalesce(_trace, _traces->>(_input._place::int - 1)), ${recordText(collection, '_sent', 'seq')}
          from _numbered join _input on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _stored;
        _outcomes := _outcomes || ',' || _added;`;
}

/** The columns of a new record, which the table does not fill itself. */
function columns(collection: Shape): string {
  return [...quoted(collection), ...wordsColumns(collection), 'version', 'created_at', 'updated_at'].join(', ');
}

/** The records of a run, each with its words. */
function added({ searched }: Shape): string {
  const records = "json_array_elements(_run->'add')";
  return searched.length === 0 ? records : `rows from (${records}, json_array_elements(_run->'words'))`;
}

/** Each record is checked alone, after those before it. */
function addEach(collection: Collection): string {
  return `
        for _value${collection.searched.length === 0 ? '' : ', _words'} in select * from ${added(collection)} loop
          _index := _index + 1;${addOne(collection, 'coalesce(_trace, _traces->>_index)')}
        end loop;`;
}

/** The record is in _value, and its words in _words. */
function addOne(collection: Collection, trace: string): string {
  const values = [...Object.keys(collection.fields).map(ofNew), ...wordsIn(collection, '_words')];
  const created = `
          _change.version := 1;
          _change.created_at := _moment;
          _change.trace_id := ${trace};
          _change.record := ${recordText(collection, '_value', '_seq')};`;
  const add = `
          insert into ${identifier(collection.name)} (${columns(collection)})
            values (${values.join(', ')}, 1, _moment, _moment) returning seq into _seq;${note(collection, 'created', created)}
          _outcomes := _outcomes || ',' || _seq;`;
  if (!isChecked(collection)) return `${takeNew(collection)}${add}`;
  return `${takeNew(collection)}
          _clashes := ${clashesOfNew(collection)};
          if _clashes is not null then
            _outcomes := _outcomes || ',{"clashes":[' || _clashes || ']}';
          else${add}
          end if;`;
}

/** A single record, which may have an idempotency key. */
export function create(collection: Collection): string {
  const name = literal(collection.name);
  return `
        if _run->'key' is not null then
          select * into _kept from idempotency_keys where collection = ${name} and key = _run->>'key';
          if _kept.at >= _moment - (_run->>'kept_ms')::float8 * interval '1 millisecond' then
            _outcomes := case when _kept.digest in (_run->>'digest', _run->>'former')
              then ',' || json_build_object('repeated', _kept.record_seq, 'at', ${moment('_kept.at')}, 'json', _kept.record)::text
              else ',"mismatch"' end;
            return;
          end if;
        end if;
        _value := _run->'create';
        _words := _run->'words';${addOne(collection, '_trace')}
        if _run->'key' is not null and _size > 0 then
          insert into idempotency_keys values (${name}, _run->>'key', _run->>'digest', _moment, _seq, _change.record)
            on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
              record_seq = excluded.record_seq, record = excluded.record;
        end if;`;
}
