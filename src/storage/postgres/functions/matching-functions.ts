/** The functions in PostgreSQL that evaluate conditions of operations, which the instance has compiled to SQL with parameters. */
import { fewExamined, maxExamined, maxMatching } from '../../../domain/store/operation.ts';
import { namedByBody } from './functions.ts';

const valuesOf = (condition: string) => `(${condition}->>'values')::text[]`;

/**
 * Whether a record is as `_where` requires: `{"sql": condition, "values": the text of a list}`, where $1 are the values. The record is given, not
 * looked up: planning the look-up would take several times as long as the condition.
 */
export const conditionFunction = namedByBody(
  'shelf_condition',
  '_table text, _record anyelement, _where json',
  `
declare
  _holds boolean;
begin
  execute format('select %s from (select ($2).*) as %I', _where->>'sql', _table) into _holds using ${valuesOf('_where')}, _record;
  return _holds is true;
end`,
  'returns boolean',
);

/** The rows that are examined first, because records can be large, and how many times as many next. */
const firstRows = 4;
const growth = 25;

/**
 * Finds the records that match `_search`: `{"sql": condition, "values": the text of a list, "index": condition, "order": columns}`. `index` is the part of the
 * condition that one index answers, and `order` the columns of this index: each row that it finds is examined, and no other.
 *
 * All other writes wait meanwhile. So the search begins with few rows, and takes more of them from the beginning while the time lasts.
 * `_spent` are the milliseconds that count for earlier operations.
 *
 * The result is `{"count", "ids", "spent"}` with at most one id more than may be changed, or null if it needs more time or more rows.
 */
export const matchingFunction = namedByBody(
  'shelf_matching',
  '_table text, _search json, _spent double precision',
  `
declare
  _values text[] := ${valuesOf('_search')};
  _rows bigint := ${firstRows};
  _began timestamptz;
  _examined bigint;
  _count bigint;
  _ids bigint[];
  _ms double precision;
begin
  loop
    _began := clock_timestamp();
    execute format(
      'select count(*), count(*) filter (where _matches), (array_agg(seq order by seq) filter (where _matches))[:${maxMatching + 1}]
       from (select seq, (%s) as _matches from (select * from %I where %s order by %s limit $2) as %I) as _each',
      _search->>'sql', _table, _search->>'index', _search->>'order', _table)
      into _examined, _count, _ids using _values, _rows;
    _ms := greatest(extract(epoch from clock_timestamp() - _began) * 1000, 0.01);
    _spent := _spent + _ms * case when _rows > ${fewExamined.records} then 1 else ${fewExamined.share} end;
    exit when _examined < _rows;
    -- As many as can be read in the time that is left.
    _rows := least(_rows * ${growth}, ${maxExamined.records + 1}, (_rows * (${maxExamined.ms} - _spent) / _ms)::bigint);
    if _rows <= _examined then
      return null;
    end if;
  end loop;
  if _spent > ${maxExamined.ms} and _count <= ${maxMatching} then
    return null;
  end if;
  return json_build_object('count', _count, 'ids', coalesce(_ids, '{}'), 'spent', _spent)::text;
end`,
  // Only a walk through the index ends at its limit. A sort and a bitmap read all rows first, and statistics may be wrong.
  'returns text set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off',
);
