/** The function in PostgreSQL that writes the records of one collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { moment } from '../statements/expressions.ts';
import type { Shape } from '../statements/table-sql.ts';
import { addRun, create } from './additions.ts';
import { cascade } from './cascade.ts';
import { clashesOfUpdate, isChecked } from './clashes.ts';
import { namedByBody, ownSchema, type SqlFunction } from './functions.ts';
import { conditionFunction } from './matching-functions.ts';
import { collectorVariables, note, writeParameters } from './noted-changes.ts';
import { changedMembers, recordOf } from './record-text.ts';
import { stampRun } from './stamp.ts';
import { givenSums, hasSums } from './sums.ts';
import { changedWords, ofNew, takeUpdate } from './written-values.ts';

/** `isAware`: it takes the functions and dependents of all collections as its last argument. */
export type RecordFunction = SqlFunction & { readonly isAware: boolean };

/**
 * A run is one of
 * - `{"to": collection, "add": [record, ...]}`: in a collection of the contract, a record without an id gets its sequence
 *   number as id,
 * - `{"to", "create": record}`: a single one, with an idempotency key if it has `key`, `digest`, `former` and `kept_ms`,
 * - `{"to", "remove": id, "first": record id}`, `{"to", "update": fields, "seq": record id}`, `{"to", "sum": amounts, "seq": record id}` or
 *   `{"to", "discard": record id}`, each with conditions: with `when` the record has one of its `versions`, and none of its `none`, where
 *   "*" stands for all; and `where` holds. A removal has the collections that may change as `permitted`,
 * - `{"to", "check": record id}`: nothing but the precondition, and the record as its outcome,
 * - `{"to", "discard_all": [record id, ...]}`: records to which nothing refers any more, in this order.
 *
 * Each may have `by`, the name of its caller, and `trace`, the id of its trace; additions of several traces have `traces`, one for each record or null. In a
 * collection with searched fields a run has their `words`: texts of `tsvector` by the fields, in a list beside the records of `add`.
 *
 * Versions are at least `_least`. The result is one outcome per write, each after a comma; `{"clashes": [...]}` has values of `Clash`. With it are
 * the changes that the caller has to store: all but those of an addition of records that need no check.
 *
 * PL/pgSQL evaluates an expression at once. For a query it starts the executor, which takes ten times as long, and prepares each of its expressions
 * anew: so queries have nothing but variables.
 */
export function recordFunction(collection: Collection, dependents: readonly unknown[]): RecordFunction {
  const isAware = dependents.length > 0;
  const table = identifier(collection.name);
  const remove = isAware ? ifPrecondition(collection, cascade(collection)) : discardOne(collection);
  const byId = `
    select seq into _seq from ${table} where id = (_run->>'remove')::bigint order by seq limit 1;
    if _seq <> (_run->>'first')::bigint then
      _outcomes := ',"conflict"';
      return;
    end if;${remove}`;
  // No field name starts with _, so a variable cannot be confused with a column; but PL/pgSQL has one called found.
  // A table can have the name of a type of PostgreSQL, such as text: without the schema, %rowtype is looked up among the types, too.
  const body = `
#variable_conflict use_column
declare
  -- Parsing the run again for each record would take as long as all records.
  _by text := _run->>'by';
  _trace text := _run->>'trace';
  _traces json;
  _index int := -1;
  _added text;
  _value json;
  _words json;
  _given json;
  _when json;
  _clashes text;
  _amount text;
  _sum text;
  _sums text := '';
  _seq bigint;
  _old ${ownSchema}.${table}%rowtype;
  _new ${ownSchema}.${table}%rowtype;
  _kept record;
  _plan json;
  _one json;
  _all jsonb;${collectorVariables}
begin${stampRun(collection)}
  _outcomes := '';
  _noted := '{}';
  if _run->'seq' is not null then
    _seq := (_run->>'seq')::bigint;${updateOne(collection)}
  elsif _run->'create' is not null then ${create(collection)}
  elsif _run->'check' is not null then
    _seq := (_run->>'check')::bigint;${checkOne(collection)}
  elsif _run->'add' is not null then ${addRun(collection)}
  elsif _run->'discard_all' is not null then ${discardAll(collection)}
  elsif _run->'discard' is not null then
    _seq := (_run->>'discard')::bigint;${remove}
  ${collection.contract === undefined ? '' : `else${byId}`}
  end if;
end`;
  return { ...namedByBody('shelf_records', writeParameters(isAware), body, ''), isAware };
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
          return;
        end if;
        _when := _run->'when';
        if _when is not null then
          if _when->>'none' = '*'
            or _when->'versions' is not null and not ${isAmong('versions')}
            or json_typeof(_when->'none') = 'array' and ${isAmong('none')}
          then
            _outcomes := _outcomes || ',"conflict"';
            return;
          end if;
        end if;
        if _run->'where' is not null and not ${conditionFunction.name}(${literal(name)}, _old, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
          return;
        end if;${change}`;
}

const isAmong = (member: 'versions' | 'none') =>
  `exists (select from json_array_elements_text(_when->${literal(member)}) where value::bigint = _old.version)`;

/** After a lost history, versions continue above all that it may have assigned. */
export const nextVersion = 'greatest(_old.version + 1, _least)';

/** Sums are an update as well. The record is encoded as for a deletion. */
function updateOne(collection: Collection): string {
  const columns = Object.keys(collection.fields).map((key) => `${identifier(key)} = ${ofNew(key)}`);
  const words = changedWords(collection, "(_run->'words')");
  const updated = `
          _change.version := _new.version;
          _change.created_at := _old.created_at;
          _change.trace_id := _trace;
          _change.record := ${recordOf(collection, '_new')};
          _change.before := ${changedMembers(collection)};`;
  const change = `
          _new.version := ${nextVersion};
          update ${identifier(collection.name)} set ${[...columns, ...words].join(', ')}, version = _new.version, updated_at = _moment where seq = _seq;${note(collection, 'updated', updated)}
          _outcomes := _outcomes || ',' || json_build_object(
            'version', _new.version, 'createdAt', ${moment('_old.created_at')}, 'json', _change.record)::text;`;
  const checked = `
          _clashes := ${clashesOfUpdate(collection)};
          if _clashes is not null then
            _outcomes := _outcomes || ',{"clashes":[' || _clashes || ']}';
          else${change}
          end if;`;
  const sums = hasSums(collection) ? givenSums(collection) : '';
  return `
    _given := _run->'update';${ifPrecondition(
      collection,
      sums + takeUpdate(collection) + (isChecked(collection) ? checked : change),
    )}`;
}

function checkOne(collection: Collection): string {
  return ifPrecondition(
    collection,
    `
          _outcomes := _outcomes || ',' || json_build_object('version', _old.version, 'createdAt', ${moment('_old.created_at')},
            'updatedAt', ${moment('_old.updated_at')}, 'json', ${recordOf(collection)})::text;`,
  );
}

function discardOne(collection: Shape): string {
  return ifPrecondition(
    collection,
    `
          delete from ${identifier(collection.name)} where seq = _seq;${noteDeleted(collection)}
          _outcomes := _outcomes || ',"done"';`,
  );
}

/** Nothing refers to these records any more. */
function discardAll(collection: Shape): string {
  return `
        for _old in
          with _given as (
            select value::bigint as _seq, ordinality as _place from json_array_elements_text(_run->'discard_all') with ordinality
          ),
          _deleted as (
            delete from ${identifier(collection.name)} as _one using _given where _one.seq = _given._seq returning _one as _row, _place
          )
          select (_row).* from _deleted order by _place
        loop
          _seq := _old.seq;${noteDeleted(collection)}
        end loop;`;
}

/** The record was _old. */
function noteDeleted(collection: Shape): string {
  const deleted = `
          _change.version := _old.version;
          _change.created_at := _old.created_at;
          _change.trace_id := _trace;
          _change.record := ${recordOf(collection)};
          _change.updated_at := _old.updated_at;`;
  return note(collection, 'deleted', deleted);
}
