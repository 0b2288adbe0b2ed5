/**
 * How far a server shows the history. Changes are numbered in the order in which they become visible, on the primary and on
 * each standby, so the last one stands for everything that a snapshot shows.
 */
import type { Columns } from '../statements/columns.ts';

export type Position = {
  /** The last change, trimmed or not, or the end of the last gap if that is later. */
  readonly last: number;
  /** The last change that is stored, and its time: two servers that have lost different changes may have the same numbers. */
  readonly newest: number;
  readonly at: string | null;
  readonly trimmed: number;
};

/** What one statement saw. `times` has the changes that were looked up and are stored. */
export type Seen = Position & { readonly isStandby: boolean; readonly times: ReadonlyMap<number, string> };

/** Text would depend on the time zone of the session. */
const time = '(extract(epoch from at) * 1000)::bigint';

/** One row. `wanted` is an expression for an array of the changes to look up. */
const positionRow = (wanted: string) => `
  select pg_is_in_recovery() as _standby, greatest(_newest, _trimmed, _gap, 0) as _last, coalesce(_newest, 0) as _newest, _at,
    coalesce(_trimmed, 0) as _trimmed,
    (select json_object_agg(seq, ${time}) from changes where seq = any(${wanted}::bigint[]))::text as _times
  from (
    select (select value::bigint from settings where name = 'trimmed') as _trimmed,
      (select (value::json->-1->>1)::bigint from settings where name = 'gaps') as _gap
  ) as _noted
  left join (select seq as _newest, ${time} as _at from changes order by seq desc limit 1) as _changes on true`;
const width = 6;

/** $1: the changes to look up. */
export const positionStatement = positionRow('$1');

/**
 * The position and the rows of `statement`, from one snapshot. The last parameter is the changes to look up. A nested loop
 * over a single row keeps the order of the rows.
 */
export function withPosition(statement: string, parameters: number): string {
  return `select _position.*, _read.* from (${positionRow(`$${parameters + 1}`)}) as _position
    left join (select true as _there, _statement.* from (${statement}) as _statement) as _read on true`;
}

export const wantedOf = (changes: Iterable<number>) => `{${[...changes].join()}}`;

export function seenIn(columns: Columns): Seen {
  const [isStandby, last, newest, at, trimmed, times] = columns;
  const found = times === null ? {} : (JSON.parse(String(times)) as Record<string, number>);
  return {
    isStandby: isStandby !== false,
    last: Number(last),
    newest: Number(newest),
    at: at === null || at === undefined ? null : String(at),
    trimmed: Number(trimmed),
    times: new Map(Object.entries(found).map(([change, ms]) => [Number(change), String(ms)])),
  };
}

/** The rows of the statement that `withPosition` was given. */
export function rowsIn(rows: readonly Columns[]): Columns[] {
  return rows.filter((columns) => columns[width] === true).map((columns) => columns.slice(width + 1));
}

export function isSame(one: Position, other: Position | undefined): boolean {
  return (
    one.last === other?.last && one.newest === other.newest && one.at === other.at && one.trimmed === other.trimmed
  );
}

/** Whether a server that has seen this much shows everything up to `position`. */
export function reaches(seen: Seen, { last, trimmed }: Position): boolean {
  return seen.last >= last && seen.trimmed >= trimmed;
}

/** Of a server that reaches `position` and has looked up its newest change: false if it has another change of that number. */
export function agrees(seen: Seen, { newest, at }: Position): boolean {
  return newest <= seen.trimmed || (seen.times.get(newest) ?? null) === at;
}
