/**
 * Migrations that bring a PostgreSQL database of any release to the current schema. A database at version n has run the
 * first n.
 *
 * Never edit a released migration, even if it has a bug: a database that has run it does not run it again.
 * test/engines/releases.test.ts checks a digest of each. Migrations 1 and 2 were edited before this rule, so several forms of each
 * are in use; migration 3 makes them equal.
 */
export const migrations: readonly (readonly string[])[] = [
  [
    `create table changes (
       seq bigint generated always as identity primary key,
       collection text not null,
       type text not null check (type in ('created', 'updated', 'deleted')),
       record_seq bigint not null,
       version bigint not null,
       created_at timestamptz(3) not null,
       at timestamptz(3) not null,
       record text not null,
       updated_at timestamptz(3)
     )`,
    'create table settings (name text primary key, value text not null)',
    `create table idempotency_keys (
       collection text not null,
       key text collate "C" not null,
       digest text not null,
       at timestamptz(3) not null,
       record_seq bigint not null,
       record text not null,
       primary key (collection, key)
     )`,
    `create function shelf_own_id() returns trigger language plpgsql as $shelf$
     begin
       new.id := new.seq;
       return new;
     end $shelf$`,
  ],
  [
    `create table api_keys (
       id text primary key,
       name text not null,
       digest text not null unique,
       scope text not null check (scope in ('read', 'write', 'admin')),
       collections text,
       created_at text not null,
       expires_at text,
       revoked_at text
     )`,
  ],
  [
    'alter table changes add column if not exists updated_at timestamptz(3)',
    // Releases without this column could not update records: a deleted record was last updated when it was created.
    "update changes set updated_at = created_at where type = 'deleted' and updated_at is null",
    'create table if not exists settings (name text primary key, value text not null)',
    `create table if not exists idempotency_keys (
       collection text not null,
       key text collate "C" not null,
       digest text not null,
       at timestamptz(3) not null,
       record_seq bigint not null,
       record text not null,
       primary key (collection, key)
     )`,
    `create or replace function shelf_own_id() returns trigger language plpgsql as $shelf$
     begin
       new.id := new.seq;
       return new;
     end $shelf$`,
    // Tables created before this function lack its trigger. Those releases never trimmed history, so `changes` names them all.
    `do $shelf$
     declare
       _table text;
     begin
       for _table in
         select distinct collection from changes
         where to_regclass(quote_ident(collection)) is not null and not exists (
           select from pg_trigger
           where tgrelid = to_regclass(quote_ident(collection)) and tgname = collection || '_own_id'
         )
       loop
         execute format(
           'create trigger %I before insert on %I for each row when (new.id is null) execute function shelf_own_id()',
           _table || '_own_id', _table);
       end loop;
     end $shelf$`,
    // Two concurrent `keys create` could add the same name twice: the later key gets its id as a suffix.
    `update api_keys set name = name || '-' || id where revoked_at is null and exists (
       select from api_keys as other where other.revoked_at is null and other.name = api_keys.name
         and (other.created_at, other.id) < (api_keys.created_at, api_keys.id)
     )`,
    'create unique index if not exists api_keys_by_name on api_keys (name) where revoked_at is null',
  ],
  [
    `create function shelf_new_epoch(_lost bigint) returns bigint
     language plpgsql security definer set search_path from current as $shelf$
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
     end $shelf$`,
  ],
  [
    `create table event_tickets (
       digest text primary key,
       caller_id text not null,
       caller text not null,
       key_digest text,
       expires_at timestamptz not null
     )`,
    'create index event_tickets_by_expiry on event_tickets (expires_at)',
  ],
  // The name of one record when the change was recorded, where it is another one now.
  ['alter table changes add column singular text'],
  // The name of the caller that made a change, and when a key was last used.
  ['alter table changes add column made_by text', 'alter table api_keys add column last_used_at text'],
  [
    // Some databases of 0.5.0 have this function already. The one of migration 4 stays, for servers of 0.5.0 that still run.
    // Called under the write lock by a role that may write. Numbers continue far above all that a lost history can have
    // assigned. Runs as the owner, because setting a sequence needs more than the right to write rows.
    // The gap begins at the last change that both histories are known to have.
    `create or replace function shelf_new_epoch(_lost bigint, _common bigint) returns bigint
     language plpgsql security definer set search_path from current as $shelf$
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
     end $shelf$`,
  ],
  // The changes of a transaction of several operations: the number of its first change, and how many it has.
  ['alter table changes add column transaction_first bigint, add column transaction_size int'],
  // What an update changed, as it was before: JSON of those members of the record, with its version and updated_at.
  ['alter table changes add column before text'],
  // A key has a role in place of a scope.
  [
    `alter table api_keys alter column scope drop not null, add column role text, add column claims text,
       add check ((scope is null) <> (role is null))`,
  ],
  // The trace of the request that made a change.
  ['alter table changes add column trace_id text'],
];
