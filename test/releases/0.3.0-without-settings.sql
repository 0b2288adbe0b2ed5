CREATE FUNCTION public.shelf_write_1tq5ql1eg4qrr(_batch text) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
declare
  _outcomes bigint[] := '{}';
  _run json;
  _seqs bigint[];
  _gone record;
  _moment timestamptz(3);
begin
  perform pg_advisory_xact_lock(1397247046);
  _moment := clock_timestamp();
  for _run in select value from json_array_elements(_batch::json) loop
    if _run->>'to' = 'items' then
      if _run->'add' is not null then 
        with _given as (select value as _value, ordinality as _place from json_array_elements(_run->'add') with ordinality),
        _added as (
          insert into "items" ("id", "name", "price", version, created_at, updated_at)
          select (_value->>'id')::bigint, (_value->>'name')::text, (_value->>'price')::double precision, 1, _moment, _moment from _given order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _added),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          select 'items', 'created', seq, 1, _moment, _moment, _value::text
          from _numbered join _given on _place = _number order by _number
          returning record_seq
        )
        select array_agg(record_seq order by record_seq) into _seqs from _noted;
        _outcomes := _outcomes || _seqs; else 
        delete from "items" where seq = (
          select first.seq from "items" first where first.id = (_run->>'remove')::bigint order by first.seq limit 1
        ) returning * into _gone;
        if _gone.seq is not null then
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          values ('items', 'deleted', _gone.seq, _gone.version, _gone.created_at, _moment,
                  json_build_object('id', _gone."id", 'name', _gone."name", 'price', _gone."price")::text);
        end if;
        _outcomes := _outcomes || coalesce(_gone.seq, 0); end if;
    end if;
    if _run->>'to' = 'users' then
      if _run->'add' is not null then 
        with _given as (select value as _value, ordinality as _place from json_array_elements(_run->'add') with ordinality),
        _added as (
          insert into "users" ("id", "name", version, created_at, updated_at)
          select (_value->>'id')::bigint, (_value->>'name')::text, 1, _moment, _moment from _given order by _place
          returning seq
        ),
        _numbered as (select seq, row_number() over (order by seq) as _number from _added),
        _noted as (
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          select 'users', 'created', seq, 1, _moment, _moment, _value::text
          from _numbered join _given on _place = _number order by _number
          returning record_seq
        )
        select array_agg(record_seq order by record_seq) into _seqs from _noted;
        _outcomes := _outcomes || _seqs; else 
        delete from "users" where seq = (
          select first.seq from "users" first where first.id = (_run->>'remove')::bigint order by first.seq limit 1
        ) returning * into _gone;
        if _gone.seq is not null then
          insert into changes (collection, type, record_seq, version, created_at, at, record)
          values ('users', 'deleted', _gone.seq, _gone.version, _gone.created_at, _moment,
                  json_build_object('id', _gone."id", 'name', _gone."name")::text);
        end if;
        _outcomes := _outcomes || coalesce(_gone.seq, 0); end if;
    end if;
  end loop;
  return _outcomes;
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
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (1, 'items', 'created', 1, 1, '2026-11-15 19:08:34.981+00', '2026-11-15 19:08:34.981+00', '{"id":1,"name":"Widget","price":9.99}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (2, 'users', 'created', 1, 1, '2026-11-15 19:08:34.981+00', '2026-11-15 19:08:34.981+00', '{"id":1,"name":"Ada Lovelace"}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (3, 'items', 'created', 2, 1, '2026-11-15 19:08:35.104+00', '2026-11-15 19:08:35.104+00', '{"id":9223372036854775807,"name":"largest","price":1.7976931348623157e+308}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (4, 'items', 'created', 3, 1, '2026-11-15 19:08:35.108+00', '2026-11-15 19:08:35.108+00', '{"id":-9223372036854775808,"name":"smallest","price":5e-324}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (5, 'items', 'created', 4, 1, '2026-11-15 19:08:35.11+00', '2026-11-15 19:08:35.11+00', '{"id":0,"name":"minus zero","price":-0}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (6, 'items', 'created', 5, 1, '2026-11-15 19:08:35.111+00', '2026-11-15 19:08:35.111+00', '{"id":7,"name":"Größe 日本 🦊 é \" \\ \u0001  ","price":0.1}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (7, 'items', 'created', 6, 1, '2026-11-15 19:08:35.113+00', '2026-11-15 19:08:35.113+00', '{"id":7,"name":"the same id","price":1e+21}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (8, 'items', 'created', 7, 1, '2026-11-15 19:08:35.114+00', '2026-11-15 19:08:35.114+00', '{"id":9007199254740993,"name":"","price":3}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (9, 'users', 'created', 2, 1, '2026-11-15 19:08:35.115+00', '2026-11-15 19:08:35.115+00', '{"id":2,"name":"Grace"}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (10, 'users', 'created', 3, 1, '2026-11-15 19:08:35.118+00', '2026-11-15 19:08:35.118+00', '{"id":2,"name":"Grace \"seq\":9,"}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (11, 'users', 'created', 4, 1, '2026-11-15 19:08:35.119+00', '2026-11-15 19:08:35.119+00', '{"id":-9223372036854775808,"name":"Zoë 🦊"}');
INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES (12, 'users', 'deleted', 2, 1, '2026-11-15 19:08:35.115+00', '2026-11-15 19:08:35.121+00', '{"id" : 2, "name" : "Grace"}');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Widget', 9.99, 1, '2026-11-15 19:08:34.981+00', '2026-11-15 19:08:34.981+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (2, 9223372036854775807, 'largest', 1.7976931348623157e+308, 1, '2026-11-15 19:08:35.104+00', '2026-11-15 19:08:35.104+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (3, -9223372036854775808, 'smallest', 5e-324, 1, '2026-11-15 19:08:35.108+00', '2026-11-15 19:08:35.108+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (4, 0, 'minus zero', '-0', 1, '2026-11-15 19:08:35.11+00', '2026-11-15 19:08:35.11+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (5, 7, 'Größe 日本 🦊 é " \   ', 0.1, 1, '2026-11-15 19:08:35.111+00', '2026-11-15 19:08:35.111+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (6, 7, 'the same id', 1e+21, 1, '2026-11-15 19:08:35.113+00', '2026-11-15 19:08:35.113+00');
INSERT INTO public.items OVERRIDING SYSTEM VALUE VALUES (7, 9007199254740993, '', 3, 1, '2026-11-15 19:08:35.114+00', '2026-11-15 19:08:35.114+00');
INSERT INTO public.schema_version VALUES (1);
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (1, 1, 'Ada Lovelace', 1, '2026-11-15 19:08:34.981+00', '2026-11-15 19:08:34.981+00');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (3, 2, 'Grace "seq":9,', 1, '2026-11-15 19:08:35.118+00', '2026-11-15 19:08:35.118+00');
INSERT INTO public.users OVERRIDING SYSTEM VALUE VALUES (4, -9223372036854775808, 'Zoë 🦊', 1, '2026-11-15 19:08:35.119+00', '2026-11-15 19:08:35.119+00');
SELECT pg_catalog.setval('public.changes_seq_seq', 12, true);
SELECT pg_catalog.setval('public.items_seq_seq', 7, true);
SELECT pg_catalog.setval('public.users_seq_seq', 4, true);
ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (seq);
CREATE INDEX items_by_id ON public.items USING btree (id, seq);
CREATE INDEX users_by_id ON public.users USING btree (id, seq);
