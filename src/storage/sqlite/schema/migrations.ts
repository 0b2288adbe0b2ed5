/**
 * Migrations that bring a SQLite database of any release to the current schema. A database at version n has the first n.
 *
 * A released migration is never edited, even if it is wrong: databases that have it do not run it again.
 * test/engines/releases.test.ts has a digest of each. Migrations 1 to 3 were edited once, before this rule, so two shapes of each
 * are in use; migration 4 unifies them.
 */

/** A statement, or statements that run only if the query `where` returns a row. */
export type Step = string | { readonly where: string; readonly run: readonly string[] };

export const migrations: readonly (readonly Step[])[] = [
  [
    `create table changes (
       seq integer primary key autoincrement,
       collection text not null,
       type text not null check (type in ('created', 'updated', 'deleted')),
       at text not null,
       record text not null
     ) strict`,
  ],
  // `updated_at` is set for deleted records only; for the others it equals `at`.
  [
    'alter table changes add column updated_at text',
    'create table settings (name text primary key, value text not null) strict',
    "insert into settings values ('secret', lower(hex(randomblob(32))))",
    `create table idempotency_keys (
       collection text not null,
       key text not null,
       digest text not null,
       at text not null,
       record_seq integer not null,
       record text not null,
       primary key (collection, key)
     ) strict, without rowid`,
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
     ) strict`,
  ],
  [
    {
      // 0.1.0 stored record id, version and times inside the record's JSON: {"record id":…,FIELDS,"version":…}. FIELDS is cut out as
      // text, because SQLite's JSON functions print doubles with 15 digits.
      where: "select 1 where not exists (select 1 from pragma_table_info('changes') where name = 'record_seq')",
      run: [
        'alter table changes rename to changes_before',
        `create table changes (
           seq integer primary key autoincrement,
           collection text not null,
           type text not null check (type in ('created', 'updated', 'deleted')),
           record_seq integer not null,
           version integer not null,
           created_at text not null,
           at text not null,
           record text not null,
           updated_at text
         ) strict`,
        `insert into changes (seq, collection, type, record_seq, version, created_at, at, record)
         select seq, collection, type, record_seq, version, created_at, at,
           '{' || substr(record, length(head) + 1, length(record) - length(head) - length(tail)) || '}'
         from (
           select *, '{"seq":' || record_seq || ',' as head,
             ',"version":' || version || ',"created_at":"' || created_at || '","updated_at":"' || updated_at || '"}' as tail
           from (
             select seq, collection, type, at, record, record ->> '$.seq' as record_seq, record ->> '$.version' as version,
               record ->> '$.created_at' as created_at, record ->> '$.updated_at' as updated_at
             from changes_before
           )
         ) order by seq`,
        'drop table changes_before',
      ],
    },
    // Versions without this column could not update records, so a deleted record was last updated when it was created.
    "update changes set updated_at = created_at where type = 'deleted' and updated_at is null",
    `create table if not exists idempotency_keys (
       collection text not null,
       key text not null,
       digest text not null,
       at text not null,
       record_seq integer not null,
       record text not null,
       primary key (collection, key)
     ) strict, without rowid`,
    // Two concurrent `keys create` could add the same name twice: the later key gets its id as a suffix.
    `update api_keys set name = name || '-' || id where revoked_at is null and exists (
       select 1 from api_keys as other where other.revoked_at is null and other.name = api_keys.name
         and (other.created_at, other.id) < (api_keys.created_at, api_keys.id)
     )`,
    'create unique index if not exists api_keys_by_name on api_keys (name) where revoked_at is null',
  ],
  // The name of one record when the change was recorded, where it is another one now.
  ['alter table changes add column singular text'],
  // The name of the caller that made a change, and when a key was last used.
  ['alter table changes add column made_by text', 'alter table api_keys add column last_used_at text'],
  // The changes of a transaction of several operations: the number of its first change, and how many it has.
  [
    'alter table changes add column transaction_first integer',
    'alter table changes add column transaction_size integer',
  ],
  // What an update changed, as it was before: JSON of those members of the record, with its version and updated_at.
  ['alter table changes add column before text'],
  // A key has a role in place of a scope: SQLite changes no constraint of a table that exists.
  [
    'alter table api_keys rename to api_keys_before',
    `create table api_keys (
       id text primary key,
       name text not null,
       digest text not null unique,
       scope text check (scope in ('read', 'write', 'admin')),
       collections text,
       created_at text not null,
       expires_at text,
       revoked_at text,
       last_used_at text,
       role text,
       claims text,
       check ((scope is null) <> (role is null))
     ) strict`,
    `insert into api_keys (id, name, digest, scope, collections, created_at, expires_at, revoked_at, last_used_at)
     select id, name, digest, scope, collections, created_at, expires_at, revoked_at, last_used_at from api_keys_before`,
    'drop table api_keys_before',
    'create unique index api_keys_by_name on api_keys (name) where revoked_at is null',
  ],
  // The trace of the request that made a change.
  ['alter table changes add column trace_id text'],
];
