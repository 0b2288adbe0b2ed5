/** The function in PostgreSQL that applies a transaction of several operations, all of them or none. */
import { fewExamined, maxChanges, maxExamined, maxMatching, maxRecordBytes } from '../../../domain/store/operation.ts';
import { moment } from '../statements/expressions.ts';
import { namedByBody, type SqlFunction } from './functions.ts';
import { matchingFunction } from './matching-functions.ts';
import { collectDone, collectorVariables, noteFunction } from './noted-changes.ts';

/** Raised to roll back the operations before. PostgreSQL has no error of its own with this code. */
const failed = 'SH001';

/** The text that pieces make. A number stands for the record of the operation with this index. */
const joined = (pieces: string) => `(
        select string_agg(case json_typeof(value) when 'number' then _made[value::text::int + 1]::text else value#>>'{}' end, '' order by ordinality)
        from json_array_elements(${pieces}) with ordinality)`;

const countHolds = `not exists (
          select from json_each_text(_step->'count') as _bound where not case _bound.key
            when 'eq' then _count = value::bigint when 'ne' then _count <> value::bigint
            when 'lt' then _count < value::bigint when 'lte' then _count <= value::bigint
            when 'gt' then _count > value::bigint else _count >= value::bigint end)`;

/**
 * A run is `{"to": "", "operations": [step, ...], "records": whether results have records, "by", "trace"}`, and may have an idempotency key as a run with `create`
 * has it. A step has `to`, and is
 * - a run for one record, as record-function.ts describes it; a `check` has `exists`, whether there must be such a record,
 * - `{"pieces"}`: the same in pieces, which refer to records that earlier operations made,
 * - `{"search", "count", "member", "pieces"}`: a run for each record that is found. The pieces follow this member and the id of the record,
 * - `{"search", "count"}`: nothing but the number of records,
 * - `{"key": condition, "sent": pieces, "add": pieces}`: updates the record that is found, where $1 is what is sent, or adds one.
 *
 * A step with `after` fails with the fault `refused` unless this condition holds for the record after the change. One with `guard` has no result.
 * A step that is more than a run for one record has `special`: each look into JSON parses all of it.
 *
 * `apply` writes the run `_one` to the collection `_to`, and puts its outcome and its changes into `_done`. The changes of all operations are stored at the end,
 * by one statement.
 *
 * The result is `,{"results", "firstChange", "lastChange"}`, which is also stored with the key, `,{"operation", "fault", "added"}` with
 * the records that the operations before have created, or as for `create`.
 */
export function transactionFunction(apply: string): SqlFunction {
  const body = `
#variable_conflict use_column
declare
  _old record;
  _step json;
  _more json;
  _to text;
  _one json;
  _search json;
  _matched bigint := 0;
  _spent double precision := 0;
  _began timestamptz;
  _bytes bigint := 0;
  _count bigint;
  _ids bigint[];
  _seq bigint;
  _version bigint;
  _is_check boolean;
  _is_new boolean;
  _created timestamptz;
  _updated timestamptz;
  _text text;
  _record json;
  _rest text;
  _sent json;
  _outcome text;
  _fault text;
  _index int := -1;
  _made bigint[] := '{}';
  _created_by bigint[] := '{}';
  _results text := '';
  _noted changes[] := '{}';
  _stored record;
  -- Parsing the run again for each operation would take as long as all of them.
  _by json := _run->'by';
  _trace json := _run->'trace';
  _has_records boolean := (_run->>'records')::boolean;${collectorVariables}
begin
  if _run->'key' is not null then
    select * into _old from idempotency_keys where collection = '' and key = _run->>'key';
    if _old.at >= _moment - (_run->>'kept_ms')::float8 * interval '1 millisecond' then
      return case when _old.digest in (_run->>'digest', _run->>'former')
        then ',' || json_build_object('repeated', _old.record_seq, 'at', ${moment('_old.at')}, 'json', _old.record)::text
        else ',"mismatch"' end;
    end if;
  end if;
  for _step in select value from json_array_elements(_run->'operations') loop
    _index := _index + 1;
    _to := _step->>'to';
    _more := case when _step->'special' is not null then _step end;
    _search := _more->'search';
    _count := null;
    -- The record of a single run is in it.
    _ids := array[0];
    if _search is not null then
      _search := ${matchingFunction.name}(_to, _search, _spent)::json;
      if _search is null then
        _fault := '"too many to read"';
        raise sqlstate '${failed}';
      end if;
      _spent := (_search->>'spent')::float8;
      _count := (_search->>'count')::bigint;
      _ids := '{}';
      if _step->'member' is not null then
        _matched := _matched + _count;
        if _matched > ${maxMatching} then
          _fault := '"too many to change"';
          raise sqlstate '${failed}';
        end if;
        _ids := array(select value::bigint from json_array_elements_text(_search->'ids'));
        _rest := ${joined("_step->'pieces'")};
      end if;
      if not ${countHolds} then
        _fault := json_build_object('count', _count)::text;
        raise sqlstate '${failed}';
      end if;
    elsif _more->'key' is not null then
      _sent := ${joined("_step->'sent'")}::json;
      execute format('select seq from %I where %s', _to, _step->>'key') into _seq using _sent;
      if _seq is null then
        _one := json_build_object('create', ${joined("_step->'add'")}::json, 'words', _step->'words', 'by', _by, 'trace', _trace);
      else
        _one := json_build_object('seq', _seq, 'update', _sent, 'words', _step->'words', 'by', _by, 'trace', _trace);
      end if;
    elsif _more->'pieces' is not null then
      _one := ${joined("_step->'pieces'")}::json;
    else
      _one := _step;
    end if;
    foreach _seq in array _ids loop
      if _search is not null then
        _one := ('{"' || (_step->>'member') || '":' || _seq || _rest)::json;
      end if;
      _is_check := _one->'check' is not null;
      _is_new := false;
      _began := clock_timestamp();${apply}
      _outcome := _done._outcomes;
      -- A cascade may have deleted a record that was found.
      continue when _search is not null and _outcome = ',"missing"';
      if _is_check then
        if (_outcome <> ',"missing"') <> (_one->>'exists')::boolean then
          _outcome := ',"unmatched"';
        elsif _outcome = ',"missing"' then
          _outcome := ',{"version":null}';
        end if;
      end if;
      if left(_outcome, 16) ~ '^,("(missing|conflict|unmatched)|\\{"(clashes|outOfBounds))' then
        _fault := substr(_outcome, 2);
        raise sqlstate '${failed}';
      end if;
      if _one->'where' is not null then
        _spent := _spent + extract(epoch from clock_timestamp() - _began) * 1000 * ${fewExamined.share};
      end if;
      if _is_check then
        _record := substr(_outcome, 2)::json;
        _seq := (_one->>'check')::bigint;
        _version := (_record->>'version')::bigint;
        _created := (_record->>'createdAt')::timestamptz;
        _updated := (_record->>'updatedAt')::timestamptz;
        _text := _record->>'json';
      else${collectDone}
        -- The last change is that of the record itself: those of a cascade come before it.
        _seq := _change.record_seq;
        _version := _change.version;
        _created := _change.created_at;
        _updated := coalesce(_change.updated_at, _change.at);
        _text := _change.record;
        _is_new := _change.type = 'created';
      end if;
      if _more->'after' is not null then
        _one := json_build_object('check', _seq, 'where', _more->'after');${apply}
        if _done._outcomes = ',"unmatched"' then
          _fault := '"refused"';
          raise sqlstate '${failed}';
        end if;
      end if;
      _bytes := _bytes + coalesce(octet_length(_text), 0);
      _fault := case when _spent > ${maxExamined.ms} then '"too many to read"'
        when _size > ${maxChanges} then '"too many changes"'
        when _bytes > ${maxRecordBytes} then '"too large"' end;
      if _fault is not null then
        raise sqlstate '${failed}';
      end if;
    end loop;
    if _more->'guard' is not null then
      null;
    elsif _count is not null then
      _seq := null;
      _results := _results || ',{"count":' || _count || '}';
    else
      _results := _results || ',{"recordId":' || _seq || ',"version":' || coalesce(_version::text, 'null');
      if _version is not null and _has_records then
        _results := _results || ',"record":' || json_build_object('recordId', _seq, 'version', _version,
          'createdAt', ${moment('_created')}, 'updatedAt', ${moment('_updated')}, 'json', _text)::text;
      end if;
      _results := _results || '}';
    end if;
    _made := array_append(_made, _seq);
    _created_by := array_append(_created_by, case when _is_new then _seq end);
  end loop;
  _stored := ${noteFunction.name}(_noted, true);
  _results := '{"results":[' || substr(_results, 2) || '],"firstChange":' || coalesce(_stored._first::text, 'null')
    || ',"lastChange":' || coalesce(_stored._last::text, 'null') || '}';
  if _run->'key' is not null then
    insert into idempotency_keys values ('', _run->>'key', _run->>'digest', _moment, 0, _results)
      on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
        record_seq = excluded.record_seq, record = excluded.record;
  end if;
  return ',' || _results;
exception
  when sqlstate '${failed}' then
    return ',{"operation":' || _index || ',"fault":' || _fault || ',"added":' || array_to_json(_created_by)::text || '}';
end`;
  return namedByBody('shelf_transaction', '_run json, _moment timestamptz(3), _least bigint, _schema text', body);
}
