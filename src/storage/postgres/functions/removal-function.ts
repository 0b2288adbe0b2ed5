/** The function in PostgreSQL that finds what a deletion deletes and changes, as `Clash` or as lists of records. */
import { maxCascade } from '../../../domain/store/constraint-clash.ts';
import { namedByBody } from './functions.ts';

/** The record in _found is not itself among those that are gone: the names and numbers in $1 and $2. $4 is its collection. */
const isKept = `not exists (select from unnest($1, $2) as _other(_name, _seq)
             where _other._name = $4 and _other._seq = _found.seq)`;

/**
 * `_dependents` are the fields that refer to each collection, by its name. `_permitted` are the collections that may change;
 * null for all. The result is `{"clash": ...}`, or `{"gone": [[collection, record id], ...], "cleared": [[collection, record id, field],
 * ...]}` where each record that is gone comes after those that refer to it. The order is the same in every engine.
 */
export const planFunction = namedByBody(
  'shelf_removal',
  '_dependents json, _name text, _seq bigint, _permitted json',
  `
declare
  _names text[] := array[_name];
  _seqs bigint[] := array[_seq];
  _visited boolean[] := array[false];
  _top int := 1;
  -- Keys between spaces, in buckets: a search through one list would take as long as all that was found before.
  _seen text[] := array_fill(' '::text, array[256]);
  _number int := 0;
  _key text;
  _bucket int;
  _gone json[] := '{}';
  _gone_names text[] := '{}';
  _gone_seqs bigint[] := '{}';
  _cleared json[] := '{}';
  _dependent json;
  _found bigint[];
  _count bigint;
  _first bigint;
  _one bigint;
  _place int;
  _touched json[];
  _clash json;
  _clash_number int;
  _clash_place int;
begin
  while _top > 0 loop
    _name := _names[_top];
    _seq := _seqs[_top];
    if _visited[_top] then
      _top := _top - 1;
      _gone := _gone || json_build_array(_name, _seq);
      _gone_names := _gone_names || _name;
      _gone_seqs := _gone_seqs || _seq;
      continue;
    end if;
    _key := _name || ':' || _seq || ' ';
    _bucket := (hashtext(_key) & 255) + 1;
    if strpos(_seen[_bucket], ' ' || _key) > 0 then
      _top := _top - 1;
      continue;
    end if;
    _seen[_bucket] := _seen[_bucket] || _key;
    _number := _number + 1;
    if _number > ${maxCascade} then
      return '{"clash":{"tooMany":${maxCascade}}}';
    end if;
    _visited[_top] := true;
    for _place in reverse coalesce(json_array_length(_dependents->_name), 0) - 1 .. 0 loop
      _dependent := _dependents->_name->_place;
      if _dependent->>'onDelete' = 'cascade' then
        execute format('select array_agg(seq order by seq desc) from (select seq from %I where %I = $1 order by seq limit ${maxCascade + 1}) as _limited',
          _dependent->>'collection', _dependent->>'field') into _found using _seq;
        foreach _one in array coalesce(_found, '{}') loop
          _top := _top + 1;
          _names[_top] := _dependent->>'collection';
          _seqs[_top] := _one;
          _visited[_top] := false;
        end loop;
      end if;
    end loop;
  end loop;

  -- All records of a collection at a time. What is found is in the order of the records that are gone, then of the fields.
  for _name, _place, _dependent in
    select _each._name, ordinality, value from (select distinct unnest(_gone_names) as _name) as _each,
      json_array_elements(coalesce(_dependents->_each._name, '[]')) with ordinality where value->>'onDelete' <> 'cascade'
  loop
    if _dependent->>'onDelete' = 'clear' then
      execute format(
        'select array_agg(json_build_array($5, seq, $6, _number, $7))
         from unnest($1, $2) with ordinality as _gone(_name, _seq, _number) cross join lateral (
           select seq from %I as _found where _gone._name = $3 and %I = _gone._seq and ${isKept}
           order by seq limit ${maxCascade + 1}) as _found',
        _dependent->>'collection', _dependent->>'field')
        into _touched using _gone_names, _gone_seqs, _name, _dependent->>'collection',
          _dependent->'collection', _dependent->'field', _place;
      _cleared := _cleared || _touched;
      continue;
    end if;
    execute format(
      'select _number, count(*), min(_found.seq) from %I as _found
         join unnest($1, $2) with ordinality as _gone(_name, _seq, _number) on _gone._name = $3 and %I = _gone._seq
       where ${isKept} group by _number order by _number limit 1',
      _dependent->>'collection', _dependent->>'field')
      into _number, _count, _first using _gone_names, _gone_seqs, _name, _dependent->>'collection';
    if _number is not null and (_clash is null or (_number, _place) < (_clash_number, _clash_place)) then
      _clash_number := _number;
      _clash_place := _place;
      _clash := json_build_object(
        'referencedBy', _dependent->'collection', 'field', _dependent->'field', 'count', _count, 'first', _first);
    end if;
  end loop;
  if _clash is not null then
    return json_build_object('clash', _clash)::text;
  end if;
  if cardinality(_gone) + cardinality(_cleared) > ${maxCascade} then
    return '{"clash":{"tooMany":${maxCascade}}}';
  end if;
  _cleared := array(select _one_of from unnest(_cleared) as _one_of
    order by (_one_of->>3)::int, (_one_of->>4)::int, (_one_of->>1)::bigint);

  if json_typeof(_permitted) = 'array' then
    select _one_of->>0 into _name
      from unnest(_gone[:cardinality(_gone) - 1] || _cleared) with ordinality as _all(_one_of, _order)
      where not exists (select from json_array_elements_text(_permitted) as _allowed where _allowed = _one_of->>0)
      order by _order limit 1;
    if found then
      return json_build_object('clash', json_build_object('forbidden', _name))::text;
    end if;
  end if;
  return json_build_object('gone', array_to_json(_gone), 'cleared', array_to_json(_cleared))::text;
end`,
);
