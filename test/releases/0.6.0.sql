CREATE FUNCTION public.shelf_condition_1o1x8i71r3w0g(_table text, _seq bigint, _where json) RETURNS boolean
    LANGUAGE plpgsql
    AS $_$
declare
  _holds boolean;
begin
  execute format('select exists (select from %I where seq = $2 and (%s))', _table, _where->>'sql')
    into _holds using array(select json_array_elements_text(_where->'values')), _seq;
  return _holds;
end$_$;
CREATE FUNCTION public.shelf_matching_mkz6rcu9evrq(_table text, _search json, _spent double precision) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $_$
declare
  _values text[] := array(select json_array_elements_text(_search->'values'));
  _rows bigint := 4;
  _began timestamptz;
  _examined bigint;
  _count bigint;
  _ids bigint[];
  _ms double precision;
begin
  loop
    _began := clock_timestamp();
    execute format(
      'select count(*), count(*) filter (where _matches), (array_agg(seq order by seq) filter (where _matches))[:10001]
       from (select seq, (%s) as _matches from (select * from %I where %s order by %s limit $2) as %I) as _each',
      _search->>'sql', _table, _search->>'index', _search->>'order', _table)
      into _examined, _count, _ids using _values, _rows;
    _ms := greatest(extract(epoch from clock_timestamp() - _began) * 1000, 0.01);
    _spent := _spent + _ms * case when _rows > 100 then 1 else 0.02 end;
    exit when _examined < _rows;
    -- As many as can be read in the time that is left.
    _rows := least(_rows * 25, 100001, (_rows * (50 - _spent) / _ms)::bigint);
    if _rows <= _examined then
      return null;
    end if;
  end loop;
  if _spent > 50 and _count <= 10000 then
    return null;
  end if;
  return json_build_object('count', _count, 'ids', coalesce(_ids, '{}'), 'spent', _spent)::text;
end$_$;
CREATE FUNCTION public.shelf_new_epoch(_lost bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO '$user', 'public'
    AS $$
     declare
       _gaps jsonb := coalesce((select value::jsonb from settings where name = 'gaps'), '[]');
       _last bigint;
       _next bigint;
       _given bigint;
       _sequence text;
       _sequences text[];
     begin
       if not has_table_privilege(session_user, 'changes', 'insert') then
         raise insufficient_privilege using message = 'only a role that writes may begin an epoch';
       end if;
       _last := greatest(
         (select max(seq) from changes), (select value::bigint from settings where name = 'trimmed'), (_gaps->-1->>1)::bigint, 0);
       _next := greatest(_last, _lost);
       select array_agg(pg_get_serial_sequence(quote_ident(relname), 'seq')) into _sequences
         from pg_class join pg_attribute on attrelid = pg_class.oid
         where relnamespace = current_schema()::regnamespace and attname = 'seq' and attidentity <> '';
       foreach _sequence in array _sequences loop
         execute format('select last_value from %s', _sequence) into _given;
         _next := greatest(_next, _given);
       end loop;
       _next := _next + 1000000000;
       foreach _sequence in array _sequences loop
         perform setval(_sequence::regclass, _next);
       end loop;
       insert into settings values ('gaps', (_gaps || jsonb_build_array(jsonb_build_array(_last, _next)))::text)
         on conflict (name) do update set value = excluded.value;
       update settings set value = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')
         where name = 'secret';
       return _next;
     end $$;
CREATE FUNCTION public.shelf_new_epoch(_lost bigint, _common bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO '$user', 'public'
    AS $$
     declare
       _gaps jsonb := coalesce((select value::jsonb from settings where name = 'gaps'), '[]');
       _last bigint;
       _next bigint;
       _given bigint;
       _sequence text;
       _sequences text[];
     begin
       if not has_table_privilege(session_user, 'changes', 'insert') then
         raise insufficient_privilege using message = 'only a role that writes may begin an epoch';
       end if;
       _last := greatest(
         (select max(seq) from changes), (select value::bigint from settings where name = 'trimmed'), (_gaps->-1->>1)::bigint, 0);
       _next := greatest(_last, _lost);
       select array_agg(pg_get_serial_sequence(quote_ident(relname), 'seq')) into _sequences
         from pg_class join pg_attribute on attrelid = pg_class.oid
         where relnamespace = current_schema()::regnamespace and attname = 'seq' and attidentity <> '';
       foreach _sequence in array _sequences loop
         execute format('select last_value from %s', _sequence) into _given;
         _next := greatest(_next, _given);
       end loop;
       _next := _next + 1000000000;
       foreach _sequence in array _sequences loop
         perform setval(_sequence::regclass, _next);
       end loop;
       insert into settings values ('gaps', (_gaps || jsonb_build_array(jsonb_build_array(least(_last, _common), _next)))::text)
         on conflict (name) do update set value = excluded.value;
       update settings set value = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')
         where name = 'secret';
       return _next;
     end $$;
CREATE FUNCTION public.shelf_own_id() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
     begin
       new.id := new.seq;
       return new;
     end $$;
CREATE FUNCTION public.shelf_records_2teci39hrv3kh(_run json, _moment timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
begin
  if _run->'add' is not null then 
        with _input as (
          select * from json_array_elements(_run->'add') with ordinality as _each(_sent, _place)
        ),
        _new as (
          insert into "users" ("id", "name", version, created_at, updated_at)
          select (_sent->>'id')::bigint, (_sent->>'name')::text, 1, _moment, _moment from _input order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record)
          select 'users', 'created', seq, 1, _moment, _moment, _by, coalesce(_trace, _traces->>(_input._place::int - 1)), case when _sent->'id' is null then '{"id":' || seq || ',' || substr(_sent::text, 2) else _sent::text end
          from _numbered join _input on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;
  elsif _run->'once' is not null then 
        select * into _old from idempotency_keys where collection = 'users' and key = _run->>'key';
        if _old.at >= _moment - (_run->>'kept_ms')::float8 * interval '1 millisecond' then
          _outcomes := _outcomes || case when _old.digest in (_run->>'digest', _run->>'former')
            then ',' || json_build_object('repeated', _old.record_seq, 'at', to_char(_old.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', _old.record)::text
            else ',"mismatch"' end;
        else
          _run := json_build_object('add', json_build_array(_run->'once'), 'words', json_build_array(_run->'words'), 'key', _run->'key', 'digest', _run->'digest');
          
        with _input as (
          select * from json_array_elements(_run->'add') with ordinality as _each(_sent, _place)
        ),
        _new as (
          insert into "users" ("id", "name", version, created_at, updated_at)
          select (_sent->>'id')::bigint, (_sent->>'name')::text, 1, _moment, _moment from _input order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record)
          select 'users', 'created', seq, 1, _moment, _moment, _by, coalesce(_trace, _traces->>(_input._place::int - 1)), case when _sent->'id' is null then '{"id":' || seq || ',' || substr(_sent::text, 2) else _sent::text end
          from _numbered join _input on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;
          if _outcomes not like ',{%' then
            insert into idempotency_keys select 'users', _run->>'key', _run->>'digest', _moment, record_seq, record
              from changes where collection = 'users' and seq = (select max(seq) from changes)
            on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
              record_seq = excluded.record_seq, record = excluded.record;
          end if;
        end if;
  elsif _run->'seq' is not null then
    _seq := (_run->>'seq')::bigint;
    _given := _run->'update';
        select * into _old from "users" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        elsif _run->'where' is not null and not shelf_condition_1o1x8i71r3w0g('users', _seq, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
        else
          if _given is null then
            _given := _run->'sum';
            _amount := _given->>'id';
            if _amount is not null then
              _sum := (coalesce(_old."id", 0)::numeric + _amount::numeric)::text;
              if not _sum::numeric between -9223372036854775808 and 9223372036854775807 then
                return ',' || json_build_object('outOfBounds', 'id', 'sum', _sum)::text;
              end if;
              _sums := _sums || ',"id":' || _sum;
            end if;
            _given := ('{' || substr(_sums, 2) || '}')::json;
          end if;
          update "users" set "id" = case when _given->'id' is null then "id" else (_given->>'id')::bigint end, "name" = case when _given->'name' is null then "name" else (_given->>'name')::text end, version = greatest(_old.version + 1, (select (value::json->-1->>1)::bigint + 1 from settings where name = 'gaps')), updated_at = _moment where seq = _seq
            returning * into _new;
          _record := (select row_to_json(_fields)::text from (select _new."id" as "id", _new."name" as "name") as _fields);
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, before)
          values ('users', 'updated', _seq, _new.version, _new.created_at, _moment, _by, _trace, _record, '{' || array_to_string(array[case when to_json(_old."id")::text is distinct from to_json(_new."id")::text then '"id":' || coalesce(to_json(_old."id")::text, 'null') end, case when to_json(_old."name")::text is distinct from to_json(_new."name")::text then '"name":' || coalesce(to_json(_old."name")::text, 'null') end, '"version":' || _old.version, '"updated_at":"' || to_char(_old.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'], ',') || '}');
          _outcomes := _outcomes || ',' || json_build_object(
            'version', _new.version, 'createdAt', to_char(_new.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', _record)::text;
        end if;
  elsif _run->'discard_all' is not null then 
        with _given as (
          select value::bigint as _seq, ordinality as _place from json_array_elements_text(_run->'discard_all') with ordinality
        ),
        _deleted as (delete from "users" as _one using _given where _one.seq = _given._seq returning _one.*, _place)
        insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at)
        select 'users', 'deleted', seq, version, created_at, _moment, _by, _trace, (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name") as _fields), updated_at
        from _deleted as _old order by _place;
  elsif _run->'discard' is not null then
    _seq := (_run->>'discard')::bigint;
        select * into _old from "users" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        elsif _run->'where' is not null and not shelf_condition_1o1x8i71r3w0g('users', _seq, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
        else
          delete from "users" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at)
          values ('users', 'deleted', _seq, _old.version, _old.created_at, _moment, _by, _trace,
                  (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name") as _fields), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if;
  elsif _run->'check' is not null then
    _seq := (_run->>'check')::bigint;
        select * into _old from "users" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        elsif _run->'where' is not null and not shelf_condition_1o1x8i71r3w0g('users', _seq, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
        else
          _outcomes := _outcomes || ',' || json_build_object('version', _old.version, 'createdAt', to_char(_old.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'updatedAt', to_char(_old.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name") as _fields))::text;
        end if;
  else
    select seq into _seq from "users" where id = (_run->>'remove')::bigint order by seq limit 1;
    if _seq <> (_run->>'first')::bigint then
      return ',"conflict"';
    end if;
        select * into _old from "users" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        elsif _run->'where' is not null and not shelf_condition_1o1x8i71r3w0g('users', _seq, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
        else
          delete from "users" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at)
          values ('users', 'deleted', _seq, _old.version, _old.created_at, _moment, _by, _trace,
                  (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name") as _fields), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if;
  end if;
  return _outcomes;
end$$;
CREATE FUNCTION public.shelf_records_330uyplc8yhx(_run json, _moment timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
begin
  if _run->'add' is not null then 
        with _input as (
          select * from json_array_elements(_run->'add') with ordinality as _each(_sent, _place)
        ),
        _new as (
          insert into "items" ("id", "name", "price", version, created_at, updated_at)
          select (_sent->>'id')::bigint, (_sent->>'name')::text, (_sent->>'price')::double precision, 1, _moment, _moment from _input order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record)
          select 'items', 'created', seq, 1, _moment, _moment, _by, coalesce(_trace, _traces->>(_input._place::int - 1)), case when _sent->'id' is null then '{"id":' || seq || ',' || substr(_sent::text, 2) else _sent::text end
          from _numbered join _input on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;
  elsif _run->'once' is not null then 
        select * into _old from idempotency_keys where collection = 'items' and key = _run->>'key';
        if _old.at >= _moment - (_run->>'kept_ms')::float8 * interval '1 millisecond' then
          _outcomes := _outcomes || case when _old.digest in (_run->>'digest', _run->>'former')
            then ',' || json_build_object('repeated', _old.record_seq, 'at', to_char(_old.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', _old.record)::text
            else ',"mismatch"' end;
        else
          _run := json_build_object('add', json_build_array(_run->'once'), 'words', json_build_array(_run->'words'), 'key', _run->'key', 'digest', _run->'digest');
          
        with _input as (
          select * from json_array_elements(_run->'add') with ordinality as _each(_sent, _place)
        ),
        _new as (
          insert into "items" ("id", "name", "price", version, created_at, updated_at)
          select (_sent->>'id')::bigint, (_sent->>'name')::text, (_sent->>'price')::double precision, 1, _moment, _moment from _input order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record)
          select 'items', 'created', seq, 1, _moment, _moment, _by, coalesce(_trace, _traces->>(_input._place::int - 1)), case when _sent->'id' is null then '{"id":' || seq || ',' || substr(_sent::text, 2) else _sent::text end
          from _numbered join _input on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;
          if _outcomes not like ',{%' then
            insert into idempotency_keys select 'items', _run->>'key', _run->>'digest', _moment, record_seq, record
              from changes where collection = 'items' and seq = (select max(seq) from changes)
            on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
              record_seq = excluded.record_seq, record = excluded.record;
          end if;
        end if;
  elsif _run->'seq' is not null then
    _seq := (_run->>'seq')::bigint;
    _given := _run->'update';
        select * into _old from "items" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        elsif _run->'where' is not null and not shelf_condition_1o1x8i71r3w0g('items', _seq, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
        else
          if _given is null then
            _given := _run->'sum';
            _amount := _given->>'id';
            if _amount is not null then
              _sum := (coalesce(_old."id", 0)::numeric + _amount::numeric)::text;
              if not _sum::numeric between -9223372036854775808 and 9223372036854775807 then
                return ',' || json_build_object('outOfBounds', 'id', 'sum', _sum)::text;
              end if;
              _sums := _sums || ',"id":' || _sum;
            end if;
            _amount := _given->>'price';
            if _amount is not null then
              _sum := (case when least(abs(coalesce(_old."price", 0)), abs(_amount::double precision)) < 1e+290 or sign(coalesce(_old."price", 0)) <> sign(_amount::double precision)
      or abs(coalesce(_old."price", 0) / 2 + _amount::double precision / 2) < 8.98846567431158e+307
    then coalesce(_old."price", 0) + _amount::double precision else sign(coalesce(_old."price", 0)) * 'Infinity'::double precision end)::text;
              if not _sum::double precision between '-1.7976931348623157e+308' and '1.7976931348623157e+308' then
                return ',' || json_build_object('outOfBounds', 'price', 'sum', _sum)::text;
              end if;
              _sums := _sums || ',"price":' || _sum;
            end if;
            _given := ('{' || substr(_sums, 2) || '}')::json;
          end if;
          update "items" set "id" = case when _given->'id' is null then "id" else (_given->>'id')::bigint end, "name" = case when _given->'name' is null then "name" else (_given->>'name')::text end, "price" = case when _given->'price' is null then "price" else (_given->>'price')::double precision end, version = greatest(_old.version + 1, (select (value::json->-1->>1)::bigint + 1 from settings where name = 'gaps')), updated_at = _moment where seq = _seq
            returning * into _new;
          _record := (select row_to_json(_fields)::text from (select _new."id" as "id", _new."name" as "name", _new."price" as "price") as _fields);
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, before)
          values ('items', 'updated', _seq, _new.version, _new.created_at, _moment, _by, _trace, _record, '{' || array_to_string(array[case when to_json(_old."id")::text is distinct from to_json(_new."id")::text then '"id":' || coalesce(to_json(_old."id")::text, 'null') end, case when to_json(_old."name")::text is distinct from to_json(_new."name")::text then '"name":' || coalesce(to_json(_old."name")::text, 'null') end, case when to_json(_old."price")::text is distinct from to_json(_new."price")::text then '"price":' || coalesce(to_json(_old."price")::text, 'null') end, '"version":' || _old.version, '"updated_at":"' || to_char(_old.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'], ',') || '}');
          _outcomes := _outcomes || ',' || json_build_object(
            'version', _new.version, 'createdAt', to_char(_new.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', _record)::text;
        end if;
  elsif _run->'discard_all' is not null then 
        with _given as (
          select value::bigint as _seq, ordinality as _place from json_array_elements_text(_run->'discard_all') with ordinality
        ),
        _deleted as (delete from "items" as _one using _given where _one.seq = _given._seq returning _one.*, _place)
        insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at)
        select 'items', 'deleted', seq, version, created_at, _moment, _by, _trace, (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name", _old."price" as "price") as _fields), updated_at
        from _deleted as _old order by _place;
  elsif _run->'discard' is not null then
    _seq := (_run->>'discard')::bigint;
        select * into _old from "items" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        elsif _run->'where' is not null and not shelf_condition_1o1x8i71r3w0g('items', _seq, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
        else
          delete from "items" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at)
          values ('items', 'deleted', _seq, _old.version, _old.created_at, _moment, _by, _trace,
                  (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name", _old."price" as "price") as _fields), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if;
  elsif _run->'check' is not null then
    _seq := (_run->>'check')::bigint;
        select * into _old from "items" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        elsif _run->'where' is not null and not shelf_condition_1o1x8i71r3w0g('items', _seq, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
        else
          _outcomes := _outcomes || ',' || json_build_object('version', _old.version, 'createdAt', to_char(_old.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'updatedAt', to_char(_old.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name", _old."price" as "price") as _fields))::text;
        end if;
  else
    select seq into _seq from "items" where id = (_run->>'remove')::bigint order by seq limit 1;
    if _seq <> (_run->>'first')::bigint then
      return ',"conflict"';
    end if;
        select * into _old from "items" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) or _run->>'none' = '*' or json_typeof(_run->'none') = 'array' and exists (
          select from json_array_elements_text(_run->'none') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        elsif _run->'where' is not null and not shelf_condition_1o1x8i71r3w0g('items', _seq, _run->'where') then
          _outcomes := _outcomes || ',"unmatched"';
        else
          delete from "items" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at)
          values ('items', 'deleted', _seq, _old.version, _old.created_at, _moment, _by, _trace,
                  (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name", _old."price" as "price") as _fields), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if;
  end if;
  return _outcomes;
end$$;
CREATE FUNCTION public.shelf_removal_1nw0b69z8jy5a(_dependents json, _name text, _seq bigint, _permitted json) RETURNS text
    LANGUAGE plpgsql
    AS $_$
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
    if _number > 10000 then
      return '{"clash":{"tooMany":10000}}';
    end if;
    _visited[_top] := true;
    for _place in reverse coalesce(json_array_length(_dependents->_name), 0) - 1 .. 0 loop
      _dependent := _dependents->_name->_place;
      if _dependent->>'onDelete' = 'cascade' then
        execute format('select array_agg(seq order by seq desc) from (select seq from %I where %I = $1 order by seq limit 10001) as _limited',
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
           select seq from %I as _found where _gone._name = $3 and %I = _gone._seq and not exists (select from unnest($1, $2) as _other(_name, _seq)
             where _other._name = $4 and _other._seq = _found.seq)
           order by seq limit 10001) as _found',
        _dependent->>'collection', _dependent->>'field')
        into _touched using _gone_names, _gone_seqs, _name, _dependent->>'collection',
          _dependent->'collection', _dependent->'field', _place;
      _cleared := _cleared || _touched;
      continue;
    end if;
    execute format(
      'select _number, count(*), min(_found.seq) from %I as _found
         join unnest($1, $2) with ordinality as _gone(_name, _seq, _number) on _gone._name = $3 and %I = _gone._seq
       where not exists (select from unnest($1, $2) as _other(_name, _seq)
             where _other._name = $4 and _other._seq = _found.seq) group by _number order by _number limit 1',
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
  if cardinality(_gone) + cardinality(_cleared) > 10000 then
    return '{"clash":{"tooMany":10000}}';
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
end$_$;
CREATE FUNCTION public.shelf_transaction_3m0ar8n52i943(_run json, _moment timestamp with time zone, _schema text) RETURNS text
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
  _old record;
  _step json;
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
  _is_new boolean;
  _created text;
  _updated text;
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
  _before bigint;
  _first bigint;
  _last bigint;
  -- Parsing the run again for each operation would take as long as all of them.
  _by json := _run->'by';
  _trace json := _run->'trace';
  _has_records boolean := (_run->>'records')::boolean;
begin
  if _run->'key' is not null then
    select * into _old from idempotency_keys where collection = '' and key = _run->>'key';
    if _old.at >= _moment - (_run->>'kept_ms')::float8 * interval '1 millisecond' then
      return case when _old.digest in (_run->>'digest', _run->>'former')
        then ',' || json_build_object('repeated', _old.record_seq, 'at', to_char(_old.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', _old.record)::text
        else ',"mismatch"' end;
    end if;
  end if;
  _before := coalesce((select seq from changes order by seq desc limit 1), 0);
  for _step in select value from json_array_elements(_run->'operations') loop
    _index := _index + 1;
    _to := _step->>'to';
    _search := _step->'search';
    _count := null;
    -- The record of a single run is in it.
    _ids := array[0];
    if _search is not null then
      _search := shelf_matching_mkz6rcu9evrq(_to, _search, _spent)::json;
      if _search is null then
        _fault := '"too many to read"';
        raise sqlstate 'SH001';
      end if;
      _spent := (_search->>'spent')::float8;
      _count := (_search->>'count')::bigint;
      _ids := '{}';
      if _step->'member' is not null then
        _matched := _matched + _count;
        if _matched > 10000 then
          _fault := '"too many to change"';
          raise sqlstate 'SH001';
        end if;
        _ids := array(select value::bigint from json_array_elements_text(_search->'ids'));
        _rest := (
        select string_agg(case json_typeof(value) when 'number' then _made[value::text::int + 1]::text else value#>>'{}' end, '' order by ordinality)
        from json_array_elements(_step->'pieces') with ordinality);
      end if;
      if not not exists (
          select from json_each_text(_step->'count') as _bound where not case _bound.key
            when 'eq' then _count = value::bigint when 'ne' then _count <> value::bigint
            when 'lt' then _count < value::bigint when 'lte' then _count <= value::bigint
            when 'gt' then _count > value::bigint else _count >= value::bigint end) then
        _fault := json_build_object('count', _count)::text;
        raise sqlstate 'SH001';
      end if;
    elsif _step->'key' is not null then
      _sent := (
        select string_agg(case json_typeof(value) when 'number' then _made[value::text::int + 1]::text else value#>>'{}' end, '' order by ordinality)
        from json_array_elements(_step->'sent') with ordinality)::json;
      execute format('select seq from %I where %s', _to, _step->>'key') into _seq using _sent;
      if _seq is null then
        _one := json_build_object('add', json_build_array((
        select string_agg(case json_typeof(value) when 'number' then _made[value::text::int + 1]::text else value#>>'{}' end, '' order by ordinality)
        from json_array_elements(_step->'add') with ordinality)::json), 'words', json_build_array(_step->'words'),
          'by', _by, 'trace', _trace);
      else
        _one := json_build_object('seq', _seq, 'update', _sent, 'words', _step->'words', 'by', _by, 'trace', _trace);
      end if;
    elsif _step->'pieces' is not null then
      _one := (
        select string_agg(case json_typeof(value) when 'number' then _made[value::text::int + 1]::text else value#>>'{}' end, '' order by ordinality)
        from json_array_elements(_step->'pieces') with ordinality)::json;
    else
      _one := _step;
    end if;
    foreach _seq in array _ids loop
      if _search is not null then
        _one := ('{"' || (_step->>'member') || '":' || _seq || _rest)::json;
      end if;
      _is_new := _one->'add' is not null;
      _began := clock_timestamp();
      _outcome := case _to when 'items' then shelf_records_330uyplc8yhx(_one, _moment) when 'users' then shelf_records_2teci39hrv3kh(_one, _moment) when '' then '' end;
      -- A cascade may have deleted a record that was found.
      continue when _search is not null and _outcome = ',"missing"';
      if _one->'check' is not null then
        if (_outcome <> ',"missing"') <> (_one->>'exists')::boolean then
          _outcome := ',"unmatched"';
        elsif _outcome = ',"missing"' then
          _outcome := ',{"version":null}';
        end if;
      end if;
      if left(_outcome, 16) ~ '^,("(missing|conflict|unmatched)|\{"(clashes|outOfBounds))' then
        _fault := substr(_outcome, 2);
        raise sqlstate 'SH001';
      end if;
      if _one->'where' is not null then
        _spent := _spent + extract(epoch from clock_timestamp() - _began) * 1000 * 0.02;
      end if;
      if _one->'check' is not null then
        _record := substr(_outcome, 2)::json;
        _seq := (_one->>'check')::bigint;
        _version := (_record->>'version')::bigint;
        _created := _record->>'createdAt';
        _updated := _record->>'updatedAt';
        _text := _record->>'json';
      else
        -- The last change is that of the record itself: those of a cascade come before it.
        select seq, record_seq, version, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), to_char(coalesce(updated_at, at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), record
          into _last, _seq, _version, _created, _updated, _text from changes order by seq desc limit 1;
        -- Numbers before it may belong to writes that failed.
        _first := coalesce(_first, (select seq from changes where seq > _before order by seq limit 1));
      end if;
      if _step->'after' is not null then
        _one := json_build_object('check', _seq, 'where', _step->'after');
        _outcome := case _to when 'items' then shelf_records_330uyplc8yhx(_one, _moment) when 'users' then shelf_records_2teci39hrv3kh(_one, _moment) when '' then '' end;
        if _outcome = ',"unmatched"' then
          _fault := '"refused"';
          raise sqlstate 'SH001';
        end if;
      end if;
      _bytes := _bytes + coalesce(octet_length(_text), 0);
      _fault := case when _spent > 50 then '"too many to read"'
        when _last - _first >= 20000 then '"too many changes"'
        when _bytes > 16777216 then '"too large"' end;
      if _fault is not null then
        raise sqlstate 'SH001';
      end if;
    end loop;
    if _step->'guard' is not null then
      null;
    elsif _count is not null then
      _seq := null;
      _results := _results || ',{"count":' || _count || '}';
    else
      _results := _results || ',{"recordId":' || _seq || ',"version":' || coalesce(_version::text, 'null');
      if _version is not null and _has_records then
        _results := _results || ',"record":' || json_build_object('recordId', _seq, 'version', _version,
          'createdAt', _created, 'updatedAt', _updated, 'json', _text)::text;
      end if;
      _results := _results || '}';
    end if;
    _made := array_append(_made, _seq);
    _created_by := array_append(_created_by, case when _is_new then _seq end);
  end loop;
  if _last > _first then
    update changes set transaction_first = _first, transaction_size = _last - _first + 1 where seq between _first and _last;
  end if;
  _results := '{"results":[' || substr(_results, 2) || '],"firstChange":' || coalesce(_first::text, 'null')
    || ',"lastChange":' || coalesce(_last::text, 'null') || '}';
  if _run->'key' is not null then
    insert into idempotency_keys values ('', _run->>'key', _run->>'digest', _moment, 0, _results)
      on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
        record_seq = excluded.record_seq, record = excluded.record;
  end if;
  return ',' || _results;
exception
  when sqlstate 'SH001' then
    return ',{"operation":' || _index || ',"fault":' || _fault || ',"added":' || array_to_json(_created_by)::text || '}';
end$$;
CREATE FUNCTION public.shelf_write_1mferk1tw39pp(_batch text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  _all json := _batch::json;
  _schema text := '{"functions":{"items":"shelf_records_330uyplc8yhx","users":"shelf_records_2teci39hrv3kh"},"dependents":{"items":[],"users":[]}}';
  _lacking int;
  _common bigint;
  _shown bigint;
  _epoch bigint;
  _outcomes text := '';
  _run json;
  _moment timestamptz(3);
begin
  perform pg_advisory_xact_lock(1397247046);
  select lacking, common, latest into _lacking, _common, _shown from (
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
    from json_array_elements(_all->'shown') as _pair
  ) as _pairs) as _held;
  if _lacking > 0 then
    _epoch := shelf_new_epoch(_shown, _common);
  end if;
  _moment := greatest(clock_timestamp(), (select at from changes order by seq desc limit 1));
  for _run in select value from json_array_elements(_all->'runs') loop
    _outcomes := _outcomes || case when _run->'upsert' is null then case _run->>'to' when 'items' then shelf_records_330uyplc8yhx(_run, _moment) when 'users' then shelf_records_2teci39hrv3kh(_run, _moment)
      when '' then shelf_transaction_3m0ar8n52i943(_run, _moment, _schema) end
      else case _run->>'to'  when '' then '' end end;
  end loop;
  -- Told to the others when the transaction has ended, and once however often it is said in it.
  perform pg_notify('shelf_changes', '');
  return '{"at":"' || to_char(_moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","last":' || coalesce((select json_build_array(seq, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) from changes order by seq desc limit 1)::text, 'null')
    || ',"epoch":' || coalesce(_epoch::text, 'null') || ',"outcomes":[' || substr(_outcomes, 2) || ']}';
end$$;
CREATE TABLE public.api_keys (
    id text NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    scope text,
    collections text,
    created_at text NOT NULL,
    expires_at text,
    revoked_at text,
    last_used_at text,
    role text,
    claims text,
    CONSTRAINT api_keys_check CHECK (((scope IS NULL) <> (role IS NULL))),
    CONSTRAINT api_keys_scope_check CHECK ((scope = ANY (ARRAY['read'::text, 'write'::text, 'admin'::text])))
);
CREATE TABLE public.changes (
    seq bigint NOT NULL,
    collection text NOT NULL,
    type text NOT NULL,
    record_seq bigint NOT NULL,
    version bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    record text NOT NULL,
    updated_at timestamp(3) with time zone,
    singular text,
    made_by text,
    transaction_first bigint,
    transaction_size integer,
    before text,
    trace_id text,
    CONSTRAINT changes_type_check CHECK ((type = ANY (ARRAY['created'::text, 'updated'::text, 'deleted'::text])))
);
ALTER TABLE public.changes ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.changes_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.event_tickets (
    digest text NOT NULL,
    caller_id text NOT NULL,
    caller text NOT NULL,
    key_digest text,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.idempotency_keys (
    collection text NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    record_seq bigint NOT NULL,
    record text NOT NULL
);
CREATE TABLE public.items (
    seq bigint NOT NULL,
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    price double precision NOT NULL,
    version bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.items ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.items_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.schema_version (
    version integer NOT NULL
);
CREATE TABLE public.settings (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.users (
    seq bigint NOT NULL,
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE public.users ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.users_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
INSERT INTO public.api_keys VALUES ('83957f28c90e', 'reader', '49a34d5eb4b449d463d11840a5add79e0f358ec17e0bf95f30d080a517eb254e', 'read', 'items', '2026-11-19T10:17:33.476Z', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (1, 'items', 'created', 1, 1, '2026-11-19 10:17:21.602+00', '2026-11-19 10:17:21.602+00', '{"id":1,"name":"Widget","price":9.99}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (2, 'users', 'created', 1, 1, '2026-11-19 10:17:21.612+00', '2026-11-19 10:17:21.612+00', '{"id":1,"name":"Ada Lovelace"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (3, 'items', 'created', 2, 1, '2026-11-19 10:17:32.067+00', '2026-11-19 10:17:32.067+00', '{"id":9223372036854775807,"name":"largest","price":1.7976931348623157e+308}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (4, 'items', 'created', 3, 1, '2026-11-19 10:17:32.103+00', '2026-11-19 10:17:32.103+00', '{"id":-9223372036854775808,"name":"smallest","price":5e-324}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (5, 'items', 'created', 4, 1, '2026-11-19 10:17:32.112+00', '2026-11-19 10:17:32.112+00', '{"id":0,"name":"minus zero","price":-0}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (6, 'items', 'created', 5, 1, '2026-11-19 10:17:32.12+00', '2026-11-19 10:17:32.12+00', '{"id":7,"name":"Größe 日本 🦊 é \" \\ \u0001  ","price":0.1}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (7, 'items', 'created', 6, 1, '2026-11-19 10:17:32.131+00', '2026-11-19 10:17:32.131+00', '{"id":7,"name":"the same id","price":1e+21}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (8, 'items', 'created', 7, 1, '2026-11-19 10:17:32.137+00', '2026-11-19 10:17:32.137+00', '{"id":9007199254740993,"name":"","price":3}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (9, 'users', 'created', 2, 1, '2026-11-19 10:17:32.148+00', '2026-11-19 10:17:32.148+00', '{"id":2,"name":"Grace"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (10, 'users', 'created', 3, 1, '2026-11-19 10:17:32.16+00', '2026-11-19 10:17:32.16+00', '{"id":2,"name":"Grace \"seq\":9,"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (11, 'users', 'created', 4, 1, '2026-11-19 10:17:32.168+00', '2026-11-19 10:17:32.168+00', '{"id":-9223372036854775808,"name":"Zoë 🦊"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (12, 'users', 'deleted', 2, 1, '2026-11-19 10:17:32.148+00', '2026-11-19 10:17:32.179+00', '{"id":2,"name":"Grace"}', '2026-11-19 10:17:32.148+00', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (13, 'items', 'created', 8, 1, '2026-11-19 10:17:32.288+00', '2026-11-19 10:17:32.288+00', '{"id":8,"name":"changed","price":12.5}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (14, 'items', 'updated', 8, 2, '2026-11-19 10:17:32.288+00', '2026-11-19 10:17:32.302+00', '{"id":8,"name":"changed","price":-0}', NULL, NULL, NULL, NULL, NULL, '{"price":12.5,"version":1,"updated_at":"2026-11-19T10:17:32.288Z"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (15, 'items', 'created', 9, 1, '2026-11-19 10:17:32.32+00', '2026-11-19 10:17:32.32+00', '{"id":9007199254740993,"name":"deleted","price":1}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (16, 'items', 'updated', 9, 2, '2026-11-19 10:17:32.32+00', '2026-11-19 10:17:32.329+00', '{"id":9007199254740993,"name":"deleted after a change","price":1}', NULL, NULL, NULL, NULL, NULL, '{"name":"deleted","version":1,"updated_at":"2026-11-19T10:17:32.320Z"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (17, 'items', 'deleted', 9, 2, '2026-11-19 10:17:32.32+00', '2026-11-19 10:17:32.343+00', '{"id":9007199254740993,"name":"deleted after a change","price":1}', '2026-11-19 10:17:32.329+00', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (18, 'items', 'created', 10, 1, '2026-11-19 10:17:32.356+00', '2026-11-19 10:17:32.356+00', '{"id":10,"name":"keyed","price":2}', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.idempotency_keys VALUES ('items', 'of-the-release', '597122581549b4638c81a5d34a2b1fe7e620c4e68ce1fd27c0ced4067072824d', '2026-11-19 10:17:32.356+00', 10, '{"id":10,"name":"keyed","price":2}');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Widget', 9.99, 1, '2026-11-19 10:17:21.602+00', '2026-11-19 10:17:21.602+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (2, 9223372036854775807, 'largest', 1.7976931348623157e+308, 1, '2026-11-19 10:17:32.067+00', '2026-11-19 10:17:32.067+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (3, -9223372036854775808, 'smallest', 5e-324, 1, '2026-11-19 10:17:32.103+00', '2026-11-19 10:17:32.103+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (4, 0, 'minus zero', '-0', 1, '2026-11-19 10:17:32.112+00', '2026-11-19 10:17:32.112+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (5, 7, 'Größe 日本 🦊 é " \   ', 0.1, 1, '2026-11-19 10:17:32.12+00', '2026-11-19 10:17:32.12+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (6, 7, 'the same id', 1e+21, 1, '2026-11-19 10:17:32.131+00', '2026-11-19 10:17:32.131+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (7, 9007199254740993, '', 3, 1, '2026-11-19 10:17:32.137+00', '2026-11-19 10:17:32.137+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (8, 8, 'changed', '-0', 2, '2026-11-19 10:17:32.288+00', '2026-11-19 10:17:32.302+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (10, 10, 'keyed', 2, 1, '2026-11-19 10:17:32.356+00', '2026-11-19 10:17:32.356+00');
INSERT INTO public.schema_version VALUES (12);
INSERT INTO public.settings VALUES ('secret', 'b9f56f67663dc4de38fe84065aa1337fe7fd39bf8d2498fe1736d2e23573796f');
INSERT INTO public.settings VALUES ('words', '{}');
INSERT INTO public.settings VALUES ('collections', '{"items":{"now":{"singular":"item","fields":{"name":{"type":"text"},"price":{"type":"number"}},"first":{"name":"Widget","price":9.99},"contract":{"operations":["fetch"],"id":"item_id"}},"earlier":[]},"users":{"now":{"singular":"user","fields":{"name":{"type":"text"}},"first":{"name":"Ada Lovelace"},"contract":{"operations":["fetch","delete"],"id":"id"}},"earlier":[]}}');
INSERT INTO public.settings VALUES ('system', '7709824584457763094');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Ada Lovelace', 1, '2026-11-19 10:17:21.612+00', '2026-11-19 10:17:21.612+00');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (3, 2, 'Grace "seq":9,', 1, '2026-11-19 10:17:32.16+00', '2026-11-19 10:17:32.16+00');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (4, -9223372036854775808, 'Zoë 🦊', 1, '2026-11-19 10:17:32.168+00', '2026-11-19 10:17:32.168+00');
SELECT pg_catalog.setval('public.changes_seq_seq', 18, true);
SELECT pg_catalog.setval('public.items_seq_seq', 10, true);
SELECT pg_catalog.setval('public.users_seq_seq', 4, true);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.event_tickets
    ADD CONSTRAINT event_tickets_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (collection, key);
ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (seq);
CREATE UNIQUE INDEX api_keys_by_name ON public.api_keys USING btree (name) WHERE (revoked_at IS NULL);
CREATE INDEX event_tickets_by_expiry ON public.event_tickets USING btree (expires_at);
CREATE INDEX items_by_id ON public.items USING btree (id, seq);
CREATE INDEX users_by_id ON public.users USING btree (id, seq);
CREATE TRIGGER items_own_id BEFORE INSERT ON public.items FOR EACH ROW WHEN ((new.id IS NULL)) EXECUTE FUNCTION public.shelf_own_id();
CREATE TRIGGER users_own_id BEFORE INSERT ON public.users FOR EACH ROW WHEN ((new.id IS NULL)) EXECUTE FUNCTION public.shelf_own_id();
