/** Statements on the changes and on idempotency keys. */
import { changeColumns, trimmedAtOnce } from '../../rows/change.ts';
import type { Columns } from './columns.ts';
import { before, bounded, moment, now } from './expressions.ts';

/** Number and time of the last change, as a JSON array. */
export const newestChange = `select json_build_array(seq, ${moment('at')}) from changes order by seq desc limit 1`;

/**
 * One row. Columns: the last change, trimmed or not, or the end of the last gap if that is later; the last trimmed change; the gaps;
 * number and time of the last change that is stored, as JSON.
 */
export const historyStatement = `
  select greatest((select max(seq) from changes), _trimmed, (_gaps->-1->>1)::bigint) as _last, _trimmed, _gaps::text,
    (${newestChange})::text as _newest
  from (
    select coalesce((select value::bigint from settings where name = 'trimmed'), 0) as _trimmed,
      coalesce((select value::json from settings where name = 'gaps'), '[]') as _gaps
  ) as _noted`;
const historyWidth = 4;

const moments: readonly string[] = ['created_at', 'at', 'updated_at'];
/** Columns of a change, in the order of `changeColumns`. */
export const selectedChange = changeColumns
  .map((column) => (moments.includes(column) ? moment(column) : column))
  .join(', ');

/** In bytes. */
export const changeSize = 'octet_length(record) + coalesce(octet_length(before), 0)';

/**
 * The history, then the changes, from one snapshot: changes become visible in the order of their numbers, so there is no other one up to the
 * last of the history, and a change that was trimmed is never missing unnoticed. $1: only changes after this number. $2: maximum count.
 * $3: names of collections. $4: maximum bytes.
 */
export const changesStatement = `
  select _history.*, _changes.* from (${historyStatement}) as _history left join (${bounded(
    `
    select *, lead(transaction_first) over (order by _place) as _next from (
      select ${selectedChange},
        ${changeSize} as _size, row_number() over (order by seq) as _place
      from changes where seq > $1::bigint and collection = any($3::text[]) order by seq limit $2::int
    ) as _read`,
    '$4::bigint',
  )}) as _changes on true order by _changes._place`;

/**
 * The first change of the transaction that the change after this row of `changesStatement` belongs to, if any: also of one that was not read,
 * because of its size.
 */
export function nextOf(row: Columns | undefined): number | undefined {
  // Columns of `bounded` follow.
  const next = row?.at(-3) ?? null;
  return next === null ? undefined : Number(next);
}

/** The rows of `changesStatement`, without the history. */
export function changeRowsIn(rows: readonly Columns[]): Columns[] {
  return rows.map((columns) => columns.slice(historyWidth)).filter(([changeNumber]) => changeNumber !== null);
}

/**
 * Compares the changes in `shown` with the database. Columns: how many it lacks, the last one that it has, and the last of
 * `shown`. A change that was trimmed, or lost before the current epoch began, is not lacking.
 */
export const heldOf = (shown: string) => `
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
    from json_array_elements(${shown}) as _pair
  ) as _pairs`;

/**
 * $1: the shown changes as JSON. $2: the write function. Columns: the last change, how many shown changes the database lacks,
 * and whether it has the function.
 */
export const lookStatement = `
  select (${newestChange}), (select lacking from (${heldOf('$1::text::json')}) as _held),
    to_regprocedure($2::text || '(text)') is not null`;

/** Idempotency keys. `find` and `note` are for bulks; the write function does the same for single records. */
export const keyStatements = {
  find: `select digest, ${moment('at')}, record_seq, record from idempotency_keys
         where collection = $1 and key = $2 and at >= ${before('$3')}`,
  note: `insert into idempotency_keys values ($1, $2, $3, ${now}, $4::bigint, $5)
         on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
           record_seq = excluded.record_seq, record = excluded.record`,
  forget: `delete from idempotency_keys where at < ${before('$1')}`,
};

/** The keys of imported batches. `find`: $1: the collection. $2: keys as JSON. $3: their TTL. `note`: $2: the digest. $3: keys as JSON. */
export const batchStatements = {
  find: `select key, ${moment('at')}, record from idempotency_keys
         where collection = $1 and key in (select json_array_elements_text($2::text::json)) and at >= ${before('$3')}`,
  note: `insert into idempotency_keys
           select $1::text, value->>'key', $2::text, ${now}, (value->>'first')::bigint, value->>'batch' from json_array_elements($3::text::json)
         on conflict (collection, key) do update set digest = excluded.digest, at = excluded.at,
           record_seq = excluded.record_seq, record = excluded.record`,
};

export const trimStatement = `
  with gone as (
    delete from changes where seq in (
      select seq from (
        select seq, max(at) over (order by seq) as newest from changes order by seq limit ${trimmedAtOnce}
      ) as oldest where newest < ${before('$1')}
    ) returning seq
  ),
  noted as (
    insert into settings select 'trimmed', max(seq)::text from gone having count(*) > 0
    on conflict (name) do update set value = excluded.value
  )
  select count(*)::int from gone`;
