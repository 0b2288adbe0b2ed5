CREATE FUNCTION public.shelf_own_id() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
     begin
       new.id := new.seq;
       return new;
     end $$;
CREATE FUNCTION public.shelf_write_r8jhh0ifw7r7(_batch text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  _outcomes text := '';
  _added text;
  _run json;
  _seq bigint;
  _old record;
  _moment timestamptz(3);
begin
  perform pg_advisory_xact_lock(1397247046);
  _moment := clock_timestamp();
  for _run in select value from json_array_elements(_batch::json) loop
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
                  (select row_to_json(_record)::text from (select _old."id" as "id", _old."name" as "name", _old."price" as "price") as _record), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if;
      else
        _seq := coalesce(_run->>'seq', _run->>'discard')::bigint;
        if _run->'replace' is not null then 
        select * into _old from "items" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        else
          update "items" set "id" = (_run->'replace'->>'id')::bigint, "name" = (_run->'replace'->>'name')::text, "price" = (_run->'replace'->>'price')::double precision, version = version + 1, updated_at = _moment where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          values ('items', 'updated', _seq, _old.version + 1, _old.created_at, _moment, (_run->'replace')::text);
          _outcomes := _outcomes || ',{"version":' || (_old.version + 1) || ',"createdAt":"' || to_char(_old.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';
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
                  (select row_to_json(_record)::text from (select _old."id" as "id", _old."name" as "name", _old."price" as "price") as _record), _old.updated_at);
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
                  (select row_to_json(_record)::text from (select _old."id" as "id", _old."name" as "name") as _record), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if;
      else
        _seq := coalesce(_run->>'seq', _run->>'discard')::bigint;
        if _run->'replace' is not null then 
        select * into _old from "users" where seq = _seq;
        if _old.seq is null then
          _outcomes := _outcomes || ',"missing"';
        elsif json_typeof(_run->'versions') = 'array' and not exists (
          select from json_array_elements_text(_run->'versions') where value::bigint = _old.version
        ) then
          _outcomes := _outcomes || ',"conflict"';
        else
          update "users" set "id" = (_run->'replace'->>'id')::bigint, "name" = (_run->'replace'->>'name')::text, version = version + 1, updated_at = _moment where seq = _seq;
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          values ('users', 'updated', _seq, _old.version + 1, _old.created_at, _moment, (_run->'replace')::text);
          _outcomes := _outcomes || ',{"version":' || (_old.version + 1) || ',"createdAt":"' || to_char(_old.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';
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
                  (select row_to_json(_record)::text from (select _old."id" as "id", _old."name" as "name") as _record), _old.updated_at);
          _outcomes := _outcomes || ',"done"';
        end if; end if;
      end if;
    end if;
  end loop;
  return '{"at":"' || to_char(_moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","outcomes":[' || substr(_outcomes, 2) || ']}';
end$$;
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
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (1, 'items', 'created', 1, 1, '2026-11-15 19:08:35.622+00', '2026-11-15 19:08:35.622+00', '{"id":1,"name":"Widget","price":9.99}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (2, 'users', 'created', 1, 1, '2026-11-15 19:08:35.622+00', '2026-11-15 19:08:35.622+00', '{"id":1,"name":"Ada Lovelace"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (3, 'items', 'created', 2, 1, '2026-11-15 19:08:35.728+00', '2026-11-15 19:08:35.728+00', '{"id":9223372036854775807,"name":"largest","price":1.7976931348623157e+308}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (4, 'items', 'created', 3, 1, '2026-11-15 19:08:35.732+00', '2026-11-15 19:08:35.732+00', '{"id":-9223372036854775808,"name":"smallest","price":5e-324}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (5, 'items', 'created', 4, 1, '2026-11-15 19:08:35.734+00', '2026-11-15 19:08:35.734+00', '{"id":0,"name":"minus zero","price":-0}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (6, 'items', 'created', 5, 1, '2026-11-15 19:08:35.735+00', '2026-11-15 19:08:35.735+00', '{"id":7,"name":"Größe 日本 🦊 é \" \\ \u0001  ","price":0.1}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (7, 'items', 'created', 6, 1, '2026-11-15 19:08:35.737+00', '2026-11-15 19:08:35.737+00', '{"id":7,"name":"the same id","price":1e+21}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (8, 'items', 'created', 7, 1, '2026-11-15 19:08:35.738+00', '2026-11-15 19:08:35.738+00', '{"id":9007199254740993,"name":"","price":3}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (9, 'users', 'created', 2, 1, '2026-11-15 19:08:35.739+00', '2026-11-15 19:08:35.739+00', '{"id":2,"name":"Grace"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (10, 'users', 'created', 3, 1, '2026-11-15 19:08:35.741+00', '2026-11-15 19:08:35.741+00', '{"id":2,"name":"Grace \"seq\":9,"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (11, 'users', 'created', 4, 1, '2026-11-15 19:08:35.743+00', '2026-11-15 19:08:35.743+00', '{"id":-9223372036854775808,"name":"Zoë 🦊"}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (12, 'users', 'deleted', 2, 1, '2026-11-15 19:08:35.739+00', '2026-11-15 19:08:35.745+00', '{"id":2,"name":"Grace"}', '2026-11-15 19:08:35.739+00');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (13, 'items', 'created', 8, 1, '2026-11-15 19:08:35.751+00', '2026-11-15 19:08:35.751+00', '{"id":8,"name":"changed","price":12.5}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (14, 'items', 'updated', 8, 2, '2026-11-15 19:08:35.751+00', '2026-11-15 19:08:35.754+00', '{"id":8,"name":"changed","price":-0}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (15, 'items', 'created', 9, 1, '2026-11-15 19:08:35.756+00', '2026-11-15 19:08:35.756+00', '{"id":9007199254740993,"name":"deleted","price":1}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (16, 'items', 'updated', 9, 2, '2026-11-15 19:08:35.756+00', '2026-11-15 19:08:35.758+00', '{"id":9007199254740993,"name":"deleted after a change","price":1}', NULL);
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (17, 'items', 'deleted', 9, 2, '2026-11-15 19:08:35.756+00', '2026-11-15 19:08:35.759+00', '{"id":9007199254740993,"name":"deleted after a change","price":1}', '2026-11-15 19:08:35.758+00');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (18, 'items', 'created', 10, 1, '2026-11-15 19:08:35.761+00', '2026-11-15 19:08:35.761+00', '{"id":10,"name":"keyed","price":2}', NULL);
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Widget', 9.99, 1, '2026-11-15 19:08:35.622+00', '2026-11-15 19:08:35.622+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (2, 9223372036854775807, 'largest', 1.7976931348623157e+308, 1, '2026-11-15 19:08:35.728+00', '2026-11-15 19:08:35.728+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (3, -9223372036854775808, 'smallest', 5e-324, 1, '2026-11-15 19:08:35.732+00', '2026-11-15 19:08:35.732+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (4, 0, 'minus zero', '-0', 1, '2026-11-15 19:08:35.734+00', '2026-11-15 19:08:35.734+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (5, 7, 'Größe 日本 🦊 é " \   ', 0.1, 1, '2026-11-15 19:08:35.735+00', '2026-11-15 19:08:35.735+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (6, 7, 'the same id', 1e+21, 1, '2026-11-15 19:08:35.737+00', '2026-11-15 19:08:35.737+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (7, 9007199254740993, '', 3, 1, '2026-11-15 19:08:35.738+00', '2026-11-15 19:08:35.738+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (8, 8, 'changed', '-0', 2, '2026-11-15 19:08:35.751+00', '2026-11-15 19:08:35.754+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (10, 10, 'keyed', 2, 1, '2026-11-15 19:08:35.761+00', '2026-11-15 19:08:35.761+00');
INSERT INTO public.schema_version VALUES (1);
INSERT INTO public.settings VALUES ('secret', 'd935a4b62aee64fceafa07cd37ebd0bf92b40d39a8be2315afa2890e8e746cdf');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Ada Lovelace', 1, '2026-11-15 19:08:35.622+00', '2026-11-15 19:08:35.622+00');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (3, 2, 'Grace "seq":9,', 1, '2026-11-15 19:08:35.741+00', '2026-11-15 19:08:35.741+00');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (4, -9223372036854775808, 'Zoë 🦊', 1, '2026-11-15 19:08:35.743+00', '2026-11-15 19:08:35.743+00');
SELECT pg_catalog.setval('public.changes_seq_seq', 18, true);
SELECT pg_catalog.setval('public.items_seq_seq', 10, true);
SELECT pg_catalog.setval('public.users_seq_seq', 4, true);
ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (seq);
CREATE INDEX items_by_id ON public.items USING btree (id, seq);
CREATE INDEX users_by_id ON public.users USING btree (id, seq);
CREATE TRIGGER items_own_id BEFORE INSERT ON public.items FOR EACH ROW WHEN ((new.id IS NULL)) EXECUTE FUNCTION public.shelf_own_id();
CREATE TRIGGER users_own_id BEFORE INSERT ON public.users FOR EACH ROW WHEN ((new.id IS NULL)) EXECUTE FUNCTION public.shelf_own_id();
