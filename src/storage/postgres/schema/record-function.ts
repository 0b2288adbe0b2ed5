/** The function in PostgreSQL that writes the records of one collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import type { Field } from '../../../domain/types/type.ts';
import { moment } from '../statements/expressions.ts';
import { quoted, type Shape } from '../statements/table-sql.ts';
import { wordsColumns } from '../statements/words.ts';
import { brokenByWrite } from './broken.ts';
import { cascade } from './cascade.ts';
import { namedByBody, type SqlFunction } from './functions.ts';
import { conditionFunction } from './matching-functions.ts';
import { stampRun } from './stamp.ts';
import { givenSums, hasSums } from './sums.ts';
import { takenByNew, takenByUpdate } from './taken.ts';
import { afterUpdate, changedWords, ofNew, sent, wordsIn } from './written-values.ts';

/** `isAware`: it takes the functions and dependents of all collections as its third argument. */
export type RecordFunction = SqlFunction & { readonly isAware: boolean };

/**
 * A run is one of
 * - `{"to": collection, "add": [record, ...]}`: in a collection of the contract, a record without an id gets its sequence
 *   number as id,
 * - `{"to", "once": record, "key", "digest", "former", "kept_ms"}`: a record under an idempotency key,
 * - `{"to", "remove": id, "first": record id}`, `{"to", "update": fields, "seq": record id}`, `{"to", "sum": amounts, "seq": record id}` or
 *   `{"to", "discard": record id}`, each with a precondition: the record has one of `versions`, and none of `none`, where "*" stands
 *   for all; and `where` holds. A removal has the collections that may change as `permitted`,
 * - `{"to", "check": record id}`: nothing but the precondition, and the record as its outcome,
 * - `{"to", "discard_all": [record id, ...]}`: records to which nothing refers any more, in this order.
 *
 * Each may have `by`, the name of its caller, and `trace`, the id of its trace; additions of several traces have `traces`, one for each record or null. In a
 * collection with searched fields a run has their `words`: texts of `tsvector` by the fields, in a list beside the records of `add`.
 *
 * The result is one outcome per write, each after a comma. `{"clashes": [...]}` has values of `Clash`.
 */
export function recordFunction(collection: Collection, dependents: readonly unknown[]): RecordFunction {
  const isAware = dependents.length > 0;
  const remove = isAware ? ifPrecondition(collection, cascade(collection)) : discardOne(collection);
  const byId = `
    select seq into _seq from ${identifier(collection.name)} where id = (_run->>'remove')::bigint order by seq limit 1;
    if _seq <> (_run->>'first')::bigint then
      return ',"conflict"';
    end if;${remove}`;
  // No field name starts with _, so a variable cannot be confused with a column; but PL/pgSQL has one called found.
  const body = `
#variable_conflict use_column
declare
  _outcomes text := '';
  -- Parsing the run again for each record would take as long as all records.
  _by text := _run->>'by';
  _trace text := _run->>'trace';
  _traces json := _run->'traces';
  _index int := -1;
  _added text;
  _record text;
  _value json;
  _words json;
  _given json;
  _clashes text;
  _amount text;
  _sum text;
  _sums text := '';
  _seq bigint;
  _old record;
  _new record;
  _plan json;
  _one json;
  _all jsonb;
begin${stampRun(collection)}
  if _run->'add' is not null then ${addRun(collection)}
  elsif _run->'once' is not null then ${addOnce(collection)}
  elsif _run->'seq' is not null then
    _seq := (_run->>'seq')::bigint;${updateOne(collection)}
  elsif _run->'discard_all' is not null then ${discardAll(collection)}
  elsif _run->'discard' is not null then
    _seq := (_run->>'discard')::bigint;${remove}
  elsif _run->'check' is not null then
    _seq := (_run->>'check')::bigint;${checkOne(collection)}
  ${collection.contract === undefined ? '' : `else${byId}`}
  end if;
  return _outcomes;
end`;
  const parameters = `_run json, _moment timestamptz(3)${isAware ? ', _schema text' : ''}`;
  return { ...namedByBody('shelf_records', parameters, body), isAware };
}

type Entries = readonly (readonly [string, Field])[];
const entriesOf = ({ fields }: Shape): Entries => Object.entries(fields);

function addRun(collection: Collection): string {
  return isChecked(collection) ? addEach(collection) : addTogether(collection);
}

function isChecked({ unique, checks, references }: Collection): boolean {
  return unique.length > 0 || checks.length > 0 || references.length > 0;
}

/** The JSON of a new record: in a collection of the contract it has an id. */
export function recordText({ contract }: Shape, value: string, recordId: string): string {
  if (contract === undefined) return `${value}::text`;
  return `case when ${value}->'id' is null then '{"id":' || ${recordId} || ',' || substr(${value}::text, 2) else ${value}::text end`;
}

/** The type json keeps the text of a record as it was sent, digit for digit. */
function addTogether(collection: Collection): string {
  const [table, name] = [identifier(collection.name), literal(collection.name)];
  const values = entriesOf(collection).map(([key, { postgres }]) => postgres.fromJson('_sent', key));
  return `
        with _input as (
          select * from ${added(collection)} with ordinality as _each(_sent${collection.searched.length === 0 ? '' : ', _words'}, _place)
        ),
        _new as (
          insert into ${table} (${[...quoted(collection), ...wordsColumns(collection)].join(', ')}, version, created_at, updated_at)
          select ${[...values, ...wordsIn(collection, '_words')].join(', ')}, 1, _moment, _moment from _input order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record)
          select ${name}, 'created', seq, 1, _moment, _moment, _by, coalesce(_trace, _traces->>(_input._place::int - 1)), ${recordText(collection, '_sent', 'seq')}
          from _numbered join _input on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;`;
}

/** The records of a run, each with its words. */
function added({ searched }: Shape): string {
  const records = "json_array_elements(_run->'add')";
  return searched.length === 0 ? records : `rows from (${records}, json_array_elements(_run->'words'))`;
}

/** Each record is checked alone, after those before it. */
function addEach(collection: Collection): string {
  const [table, name] = [identifier(collection.name), literal(collection.name)];
  const values = entriesOf(collection).map(([key, { postgres }]) => postgres.fromJson('_value', key));
  return `
        for _value${collection.searched.length === 0 ? '' : ', _words'} in select * from ${added(collection)} loop
          _index := _index + 1;
          _clashes := ${clashes(collection, '_value')};
          if _clashes is not null then
            _outcomes := _outcomes || ',{"clashes":[' || _clashes || ']}';
            continue;
          end if;
          insert into ${table} (${[...quoted(collection), ...wordsColumns(collection)].join(', ')}, version, created_at, updated_at)
            values (${[...values, ...wordsIn(collection, '_words')].join(', ')}, 1, _moment, _moment) returning seq into _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record)
            values (${name}, 'created', _seq, 1, _moment, _moment, _by, coalesce(_trace, _traces->>_index), ${recordText(collection, '_value', '_seq')});
          _outcomes := _outcomes || ',' || _seq;
        end loop;`;
}

/** The clashes of a new record, or of an update, separated by commas; null for none. The other records matter only to one that is right by itself. */
function clashes(collection: Collection, object: '_value' | '_given'): string {
  const { unique, checks, references } = collection;
  const given = sent(collection, object);
  const now = object === '_value' ? ofNew(collection) : afterUpdate(collection);
  const broken = checks.map((rule) => brokenByWrite(collection, rule, now));
  const taken = unique.map((rule) =>
    object === '_value' ? takenByNew(collection, rule) : takenByUpdate(collection, rule),
  );
  const missing = references.map(
    ({ field, to }) =>
      `case when ${given(field)} is not null and not exists (select from ${identifier(to)} where seq = ${given(field)})
         then json_build_object('missing', ${literal(field)}, 'to', ${literal(to)}, 'id', ${object}->>${literal(field)})::text end`,
  );
  return `coalesce(${joined(broken)}, ${joined([...taken, ...missing])})`;
}

/** Null if all of them are. */
function joined(texts: readonly string[]): string {
  return `nullif(array_to_string(array[${texts.join(', ')}]::text[], ','), '')`;
}

/** If the key is new, the record is added by `addRun`, as a run of one. */
function addOnce(collection: Collection): string {
  const name = literal(collection.name);
  return `
        select * into _old from idempotency_keys where collection = ${name} and key = _run->>'key';
        if _old.at >= _moment - (_run->>'kept_ms')::float8 * interval '1 millisecond' then
          _outcomes := _outcomes || case when _old.digest in (_run->>'digest', _run->>'former')
            then ',' || json_build_object('repeated', _old.record_seq, 'at', ${moment('_old.at')}, 'json', _old.record)::text
            else ',"mismatch"' end;
        else
          _run := json_build_object('add', json_build_array(_run->'once'), 'words', json_build_array(_run->'words'), 'key', _run->'key', 'digest', _run->'digest');
          ${addRun(collection)}
          if _outcomes not like ',{%' then
            insert into idempotency_keys select ${name}, _run->>'key', _run->>'digest', _moment, record_seq, record
              from changes where collection = ${name} and seq = (select max(seq) from changes)
            on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
              record_seq = excluded.record_seq, record = excluded.record;
          end if;
        end if;`;
}

/**
 * Runs `change` with the record in _old. Outcome `missing` without a record, `conflict` if the precondition does not hold, `unmatched` if `where`
 * does not.
 */
function ifPrecondition({ name }: Shape, change: string): string {
  return `
        select * into _old from ${identifier(name)} where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        elsif _run->'where' is not null and not ${conditionFunction.name}(${literal(name)}, _seq, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
        else${change}
        end if;`;
}

/** After a lost history, versions continue above all that it may have assigned. */
export const nextVersion =
  "greatest(_old.version + 1, (select (value::json->-1->>1)::bigint + 1 from settings where name = 'gaps'))";

/** A field that was not sent keeps its value. Sums are an update as well. The record is encoded as for a deletion. */
function updateOne(collection: Collection): string {
  const [table, name] = [identifier(collection.name), literal(collection.name)];
  const values = entriesOf(collection).map(([key, { postgres }]) => {
    const column = identifier(key);
    return `${column} = case when _given->${literal(key)} is null then ${column} else ${postgres.fromJson('_given', key)} end`;
  });
  const words = changedWords(collection, "(_run->'words')");
  const change = `
          update ${table} set ${[...values, ...words].join(', ')}, version = ${nextVersion}, updated_at = _moment where seq = _seq
            returning * into _new;
          _record := ${recordOf(collection, '_new')};
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, before)
          values (${name}, 'updated', _seq, _new.version, _new.created_at, _moment, _by, _trace, _record, ${changedMembers(collection)});
          _outcomes := _outcomes || ',' || json_build_object(
            'version', _new.version, 'createdAt', ${moment('_new.created_at')}, 'json', _record)::text;`;
  const checked = `
          _clashes := ${clashes(collection, '_given')};
          if _clashes is not null then
            _outcomes := _outcomes || ',{"clashes":[' || _clashes || ']}';
          else${change}
          end if;`;
  const sums = hasSums(collection) ? givenSums(collection) : '';
  return `
    _given := _run->'update';${ifPrecondition(collection, sums + (isChecked(collection) ? checked : change))}`;
}

function checkOne(collection: Collection): string {
  return ifPrecondition(
    collection,
    `
          _outcomes := _outcomes || ',' || json_build_object('version', _old.version, 'createdAt', ${moment('_old.created_at')},
            'updatedAt', ${moment('_old.updated_at')}, 'json', ${recordOf(collection)})::text;`,
  );
}

/** The record as JSON. Doubles and integers keep all their digits. */
export function recordOf(collection: Shape, row: '_old' | '_new' = '_old'): string {
  const columns = entriesOf(collection).map(
    ([key, { postgres }]) => `${postgres.json(`${row}.${identifier(key)}`)} as ${identifier(key)}`,
  );
  return `(select row_to_json(_fields)::text from (select ${columns.join(', ')}) as _fields)`;
}

/** The members of _old that are others in _new, with the version and the time. They are compared as JSON: zero and minus zero are two values. */
export function changedMembers(collection: Shape): string {
  const members = entriesOf(collection).map(([key, { postgres }]) => {
    const of = (row: '_old' | '_new') => `to_json(${postgres.json(`${row}.${identifier(key)}`)})::text`;
    return `case when ${of('_old')} is distinct from ${of('_new')} then ${literal(`${JSON.stringify(key)}:`)} || coalesce(${of('_old')}, 'null') end`;
  });
  const always = [`'"version":' || _old.version`, `'"updated_at":"' || ${moment('_old.updated_at')} || '"'`];
  return `'{' || array_to_string(array[${[...members, ...always].join(', ')}], ',') || '}'`;
}

function discardOne(collection: Shape): string {
  const [table, name] = [identifier(collection.name), literal(collection.name)];
  return ifPrecondition(
    collection,
    `
          delete from ${table} where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at)
          values (${name}, 'deleted', _seq, _old.version, _old.created_at, _moment, _by, _trace,
                  ${recordOf(collection)}, _old.updated_at);
          _outcomes := _outcomes || ',"done"';`,
  );
}

/** Nothing refers to these records any more. */
function discardAll(collection: Shape): string {
  const [table, name] = [identifier(collection.name), literal(collection.name)];
  return `
        with _given as (
          select value::bigint as _seq, ordinality as _place from json_array_elements_text(_run->'discard_all') with ordinality
        ),
        _deleted as (delete from ${table} as _one using _given where _one.seq = _given._seq returning _one.*, _place)
        insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at)
        select ${name}, 'deleted', seq, version, created_at, _moment, _by, _trace, ${recordOf(collection)}, updated_at
        from _deleted as _old order by _place;`;
}
