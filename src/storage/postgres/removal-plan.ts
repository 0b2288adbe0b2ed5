/** The function in PostgreSQL that finds what a deletion deletes and changes, as `Clash` or as lists of records. */
import { maxCascade } from '../../domain/clash.ts';
import { namedByBody } from './functions.ts';

/**
 * `_dependents` are the fields that refer to each collection, by its name. `_permitted` are the collections that may change;
 * null for all. The result is `{"clash": ...}`, or `{"gone": [[collection, seq], ...], "cleared": [[collection, seq, field],
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
  _seen text[] := '{}';
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
    if _name || ':' || _seq = any(_seen) then
      _top := _top - 1;
      continue;
    end if;
    _seen := _seen || (_name || ':' || _seq);
    if cardinality(_seen) > ${maxCascade} then
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

  for _place in 1 .. cardinality(_gone_seqs) loop
    for _dependent in select value from json_array_elements(coalesce(_dependents->(_gone_names[_place]), '[]')) loop
      continue when _dependent->>'onDelete' <> 'restrict';
      -- Mostly nothing refers to it, and then there is nothing to compare with the records that are deleted.
      execute format('select min(seq) from %I where %I = $1', _dependent->>'collection', _dependent->>'field')
        into _first using _gone_seqs[_place];
      continue when _first is null;
      execute format('select count(*), min(seq) from %I where %I = $1 and seq <> all($2)',
        _dependent->>'collection', _dependent->>'field') into _count, _first
        using _gone_seqs[_place],
          coalesce((select array_agg(_s) from unnest(_gone_names, _gone_seqs) as _g(_n, _s)
            where _n = _dependent->>'collection'), '{}');
      if _count > 0 then
        return json_build_object('clash', json_build_object(
          'referencedBy', _dependent->'collection', 'field', _dependent->'field', 'count', _count, 'first', _first))::text;
      end if;
    end loop;
  end loop;

  for _place in 1 .. cardinality(_gone_seqs) loop
    for _dependent in select value from json_array_elements(coalesce(_dependents->(_gone_names[_place]), '[]')) loop
      continue when _dependent->>'onDelete' <> 'clear';
      execute format('select array_agg(seq order by seq) from (select seq from %I where %I = $1 order by seq limit ${maxCascade + 1}) as _limited',
        _dependent->>'collection', _dependent->>'field') into _found using _gone_seqs[_place];
      foreach _one in array coalesce(_found, '{}') loop
        continue when (_dependent->>'collection') || ':' || _one = any(_seen);
        _cleared := _cleared || json_build_array(_dependent->'collection', _one, _dependent->'field');
      end loop;
    end loop;
  end loop;
  if cardinality(_gone) + cardinality(_cleared) > ${maxCascade} then
    return '{"clash":{"tooMany":${maxCascade}}}';
  end if;

  if json_typeof(_permitted) = 'array' then
    select _touched->>0 into _name
      from unnest(_gone[:cardinality(_gone) - 1] || _cleared) with ordinality as _all(_touched, _number)
      where not exists (select from json_array_elements_text(_permitted) as _allowed where _allowed = _touched->>0)
      order by _number limit 1;
    if found then
      return json_build_object('clash', json_build_object('forbidden', _name))::text;
    end if;
  end if;
  return json_build_object('gone', array_to_json(_gone), 'cleared', array_to_json(_cleared))::text;
end`,
);
