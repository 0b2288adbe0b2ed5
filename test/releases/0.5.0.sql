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
CREATE FUNCTION public.shelf_own_id() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
     begin
       new.id := new.seq;
       return new;
     end $$;
CREATE FUNCTION public.shelf_write_2y1jwgmkbkl6c(_batch text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  _all json := _batch::json;
  _shown bigint := (_all->'shown'->>0)::bigint;
  _epoch bigint;
  _outcomes text := '';
  _added text;
  _record text;
  _run json;
  _seq bigint;
  _old record;
  _moment timestamptz(3);
begin
  perform pg_advisory_xact_lock(1397247046);
  if _shown is not null
    and not exists (select from changes where seq = _shown and at = (_all->'shown'->>1)::timestamptz)
    and _shown > coalesce((select value::bigint from settings where name = 'trimmed'), 0)
  then
    _epoch := shelf_new_epoch(_shown);
  end if;
  _moment := greatest(clock_timestamp(), (select at from changes order by seq desc limit 1));
  for _run in select value from json_array_elements(_all->'runs') loop
    if _run->>'to' = 'items' then
      if _run->'add' is not null then 
        with _given as (
          select value as _value, ordinality as _place from json_array_elements(_run->'add') with ordinality
        ),
        _new as (
          insert into "items" ("id", "name", "price", version, created_at, updated_at)
          select (_value->>'id')::bigint, (_value->>'name')::text, (_value->>'price')::double precision, 1, _moment, _moment from _given order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          select 'items', 'created', seq, 1, _moment, _moment,
            case when _value->'id' is null then '{"id":' || seq || ',' || substr(_value::text, 2) else _value::text end
          from _numbered join _given on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;
      elsif _run->'once' is not null then 
        select * into _old from idempotency_keys where collection = 'items' and key = _run->>'key';
        if _old.at >= _moment - (_run->>'kept_ms')::float8 * interval '1 millisecond' then
          _outcomes := _outcomes || case when _old.digest = _run->>'digest'
            then ',' || json_build_object('repeated', _old.record_seq, 'at', to_char(_old.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', _old.record)::text
            else ',"mismatch"' end;
        else
          _run := json_build_object('add', json_build_array(_run->'once'), 'key', _run->'key', 'digest', _run->'digest');
          
        with _given as (
          select value as _value, ordinality as _place from json_array_elements(_run->'add') with ordinality
        ),
        _new as (
          insert into "items" ("id", "name", "price", version, created_at, updated_at)
          select (_value->>'id')::bigint, (_value->>'name')::text, (_value->>'price')::double precision, 1, _moment, _moment from _given order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          select 'items', 'created', seq, 1, _moment, _moment,
            case when _value->'id' is null then '{"id":' || seq || ',' || substr(_value::text, 2) else _value::text end
          from _numbered join _given on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;
          insert into idempotency_keys select 'items', _run->>'key', _run->>'digest', _moment, record_seq, record
            from changes where collection = 'items' and seq = (select max(seq) from changes)
          on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
            record_seq = excluded.record_seq, record = excluded.record;
        end if;
      elsif _run->'remove' is not null then
        select seq into _seq from "items" where id = (_run->>'remove')::bigint order by seq limit 1;
        
        select * into _old from "items" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        else
          delete from "items" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, record, updated_at)
          values ('items', 'deleted', _seq, _old.version, _old.created_at, _moment,
                  (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name", _old."price" as "price") as _fields), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if;
      else
        _seq := coalesce(_run->>'seq', _run->>'discard')::bigint;
        if _run->'update' is not null then 
        select * into _old from "items" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        else
          update "items" set "id" = case when _run->'update'->'id' is null then "id" else (_run->'update'->>'id')::bigint end, "name" = case when _run->'update'->'name' is null then "name" else (_run->'update'->>'name')::text end, "price" = case when _run->'update'->'price' is null then "price" else (_run->'update'->>'price')::double precision end, version = greatest(version + 1, (select (value::json->-1->>1)::bigint + 1 from settings where name = 'gaps')), updated_at = _moment where seq = _seq
            returning * into _old;
          _record := (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name", _old."price" as "price") as _fields);
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          values ('items', 'updated', _seq, _old.version, _old.created_at, _moment, _record);
          _outcomes := _outcomes || ',' || json_build_object(
            'version', _old.version, 'createdAt', to_char(_old.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', _record)::text;
        end if; else 
        select * into _old from "items" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        else
          delete from "items" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, record, updated_at)
          values ('items', 'deleted', _seq, _old.version, _old.created_at, _moment,
                  (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name", _old."price" as "price") as _fields), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if; end if;
      end if;
    end if;
    if _run->>'to' = 'users' then
      if _run->'add' is not null then 
        with _given as (
          select value as _value, ordinality as _place from json_array_elements(_run->'add') with ordinality
        ),
        _new as (
          insert into "users" ("id", "name", version, created_at, updated_at)
          select (_value->>'id')::bigint, (_value->>'name')::text, 1, _moment, _moment from _given order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          select 'users', 'created', seq, 1, _moment, _moment,
            case when _value->'id' is null then '{"id":' || seq || ',' || substr(_value::text, 2) else _value::text end
          from _numbered join _given on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;
      elsif _run->'once' is not null then 
        select * into _old from idempotency_keys where collection = 'users' and key = _run->>'key';
        if _old.at >= _moment - (_run->>'kept_ms')::float8 * interval '1 millisecond' then
          _outcomes := _outcomes || case when _old.digest = _run->>'digest'
            then ',' || json_build_object('repeated', _old.record_seq, 'at', to_char(_old.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', _old.record)::text
            else ',"mismatch"' end;
        else
          _run := json_build_object('add', json_build_array(_run->'once'), 'key', _run->'key', 'digest', _run->'digest');
          
        with _given as (
          select value as _value, ordinality as _place from json_array_elements(_run->'add') with ordinality
        ),
        _new as (
          insert into "users" ("id", "name", version, created_at, updated_at)
          select (_value->>'id')::bigint, (_value->>'name')::text, 1, _moment, _moment from _given order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _new),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          select 'users', 'created', seq, 1, _moment, _moment,
            case when _value->'id' is null then '{"id":' || seq || ',' || substr(_value::text, 2) else _value::text end
          from _numbered join _given on _place = _number order by _number
          returning record_seq
        )
        select string_agg(record_seq::text, ',' order by record_seq) into _added from _noted;
        _outcomes := _outcomes || ',' || _added;
          insert into idempotency_keys select 'users', _run->>'key', _run->>'digest', _moment, record_seq, record
            from changes where collection = 'users' and seq = (select max(seq) from changes)
          on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
            record_seq = excluded.record_seq, record = excluded.record;
        end if;
      elsif _run->'remove' is not null then
        select seq into _seq from "users" where id = (_run->>'remove')::bigint order by seq limit 1;
        
        select * into _old from "users" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        else
          delete from "users" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, record, updated_at)
          values ('users', 'deleted', _seq, _old.version, _old.created_at, _moment,
                  (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name") as _fields), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if;
      else
        _seq := coalesce(_run->>'seq', _run->>'discard')::bigint;
        if _run->'update' is not null then 
        select * into _old from "users" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        else
          update "users" set "id" = case when _run->'update'->'id' is null then "id" else (_run->'update'->>'id')::bigint end, "name" = case when _run->'update'->'name' is null then "name" else (_run->'update'->>'name')::text end, version = greatest(version + 1, (select (value::json->-1->>1)::bigint + 1 from settings where name = 'gaps')), updated_at = _moment where seq = _seq
            returning * into _old;
          _record := (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name") as _fields);
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          values ('users', 'updated', _seq, _old.version, _old.created_at, _moment, _record);
          _outcomes := _outcomes || ',' || json_build_object(
            'version', _old.version, 'createdAt', to_char(_old.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'json', _record)::text;
        end if; else 
        select * into _old from "users" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        else
          delete from "users" where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, record, updated_at)
          values ('users', 'deleted', _seq, _old.version, _old.created_at, _moment,
                  (select row_to_json(_fields)::text from (select _old."id" as "id", _old."name" as "name") as _fields), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if; end if;
      end if;
    end if;
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
    scope text NOT NULL,
    collections text,
    created_at text NOT NULL,
    expires_at text,
    revoked_at text,
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
INSERT INTO public.api_keys VALUES ('f44a285cff0c', 'reader', 'bff28084b78f7a5c242be6c7b2f81d9c05e71a19de8c8f026f251f276088fb58', 'read', 'items', '2026-11-16T08:56:39.472Z', NULL, NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (1, 'items', 'created', 1, 1, '2026-11-16 08:56:39.04+00', '2026-11-16 08:56:39.04+00', '{"id":1,"name":"Widget","price":9.99}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (2, 'users', 'created', 1, 1, '2026-11-16 08:56:39.04+00', '2026-11-16 08:56:39.04+00', '{"id":1,"name":"Ada Lovelace"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (3, 'items', 'created', 2, 1, '2026-11-16 08:56:39.124+00', '2026-11-16 08:56:39.124+00', '{"id":9223372036854775807,"name":"largest","price":1.7976931348623157e+308}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (4, 'items', 'created', 3, 1, '2026-11-16 08:56:39.13+00', '2026-11-16 08:56:39.13+00', '{"id":-9223372036854775808,"name":"smallest","price":5e-324}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (5, 'items', 'created', 4, 1, '2026-11-16 08:56:39.132+00', '2026-11-16 08:56:39.132+00', '{"id":0,"name":"minus zero","price":-0}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (6, 'items', 'created', 5, 1, '2026-11-16 08:56:39.135+00', '2026-11-16 08:56:39.135+00', '{"id":7,"name":"Größe 日本 🦊 é \" \\ \u0001  ","price":0.1}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (7, 'items', 'created', 6, 1, '2026-11-16 08:56:39.139+00', '2026-11-16 08:56:39.139+00', '{"id":7,"name":"the same id","price":1e+21}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (8, 'items', 'created', 7, 1, '2026-11-16 08:56:39.141+00', '2026-11-16 08:56:39.141+00', '{"id":9007199254740993,"name":"","price":3}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (9, 'users', 'created', 2, 1, '2026-11-16 08:56:39.143+00', '2026-11-16 08:56:39.143+00', '{"id":2,"name":"Grace"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (10, 'users', 'created', 3, 1, '2026-11-16 08:56:39.15+00', '2026-11-16 08:56:39.15+00', '{"id":2,"name":"Grace \"seq\":9,"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (11, 'users', 'created', 4, 1, '2026-11-16 08:56:39.152+00', '2026-11-16 08:56:39.152+00', '{"id":-9223372036854775808,"name":"Zoë 🦊"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (12, 'users', 'deleted', 2, 1, '2026-11-16 08:56:39.143+00', '2026-11-16 08:56:39.155+00', '{"id":2,"name":"Grace"}', '2026-11-16 08:56:39.143+00');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (13, 'items', 'created', 8, 1, '2026-11-16 08:56:39.166+00', '2026-11-16 08:56:39.166+00', '{"id":8,"name":"changed","price":12.5}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (14, 'items', 'updated', 8, 2, '2026-11-16 08:56:39.166+00', '2026-11-16 08:56:39.169+00', '{"id":8,"name":"changed","price":-0}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (15, 'items', 'created', 9, 1, '2026-11-16 08:56:39.171+00', '2026-11-16 08:56:39.171+00', '{"id":9007199254740993,"name":"deleted","price":1}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (16, 'items', 'updated', 9, 2, '2026-11-16 08:56:39.171+00', '2026-11-16 08:56:39.172+00', '{"id":9007199254740993,"name":"deleted after a change","price":1}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (17, 'items', 'deleted', 9, 2, '2026-11-16 08:56:39.171+00', '2026-11-16 08:56:39.174+00', '{"id":9007199254740993,"name":"deleted after a change","price":1}', '2026-11-16 08:56:39.172+00');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (18, 'items', 'created', 10, 1, '2026-11-16 08:56:39.176+00', '2026-11-16 08:56:39.176+00', '{"id":10,"name":"keyed","price":2}', NULL);
INSERT INTO public.idempotency_keys VALUES ('items', 'of-the-release', 'd215c56ad59ac02c6c247fef8fd3607811847cfa795be09074923c92dc744259', '2026-11-16 08:56:39.176+00', 10, '{"id":10,"name":"keyed","price":2}');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Widget', 9.99, 1, '2026-11-16 08:56:39.04+00', '2026-11-16 08:56:39.04+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (2, 9223372036854775807, 'largest', 1.7976931348623157e+308, 1, '2026-11-16 08:56:39.124+00', '2026-11-16 08:56:39.124+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (3, -9223372036854775808, 'smallest', 5e-324, 1, '2026-11-16 08:56:39.13+00', '2026-11-16 08:56:39.13+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (4, 0, 'minus zero', '-0', 1, '2026-11-16 08:56:39.132+00', '2026-11-16 08:56:39.132+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (5, 7, 'Größe 日本 🦊 é " \   ', 0.1, 1, '2026-11-16 08:56:39.135+00', '2026-11-16 08:56:39.135+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (6, 7, 'the same id', 1e+21, 1, '2026-11-16 08:56:39.139+00', '2026-11-16 08:56:39.139+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (7, 9007199254740993, '', 3, 1, '2026-11-16 08:56:39.141+00', '2026-11-16 08:56:39.141+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (8, 8, 'changed', '-0', 2, '2026-11-16 08:56:39.166+00', '2026-11-16 08:56:39.169+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (10, 10, 'keyed', 2, 1, '2026-11-16 08:56:39.176+00', '2026-11-16 08:56:39.176+00');
INSERT INTO public.schema_version VALUES (4);
INSERT INTO public.settings VALUES ('secret', '0ed4bbe814787756056efddc862f9f23e06c67ec43f1093eaf96d2b4ab93e65f');
INSERT INTO public.settings VALUES ('system', '7708690585682198697');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Ada Lovelace', 1, '2026-11-16 08:56:39.04+00', '2026-11-16 08:56:39.04+00');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (3, 2, 'Grace "seq":9,', 1, '2026-11-16 08:56:39.15+00', '2026-11-16 08:56:39.15+00');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (4, -9223372036854775808, 'Zoë 🦊', 1, '2026-11-16 08:56:39.152+00', '2026-11-16 08:56:39.152+00');
SELECT pg_catalog.setval('public.changes_seq_seq', 18, true);
SELECT pg_catalog.setval('public.items_seq_seq', 10, true);
SELECT pg_catalog.setval('public.users_seq_seq', 4, true);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (collection, key);
ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (seq);
CREATE UNIQUE INDEX api_keys_by_name ON public.api_keys USING btree (name) WHERE (revoked_at IS NULL);
CREATE INDEX items_by_id ON public.items USING btree (id, seq);
CREATE INDEX users_by_id ON public.users USING btree (id, seq);
CREATE TRIGGER items_own_id BEFORE INSERT ON public.items FOR EACH ROW WHEN ((new.id IS NULL)) EXECUTE FUNCTION public.shelf_own_id();
CREATE TRIGGER users_own_id BEFORE INSERT ON public.users FOR EACH ROW WHEN ((new.id IS NULL)) EXECUTE FUNCTION public.shelf_own_id();
