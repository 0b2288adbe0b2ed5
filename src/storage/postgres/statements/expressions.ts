/** SQL fragments that several files share. */
import { bytesAtOnce } from '../../bytes-at-once.ts';

/** Limits rows that have a _size and a _place to `bytes` in total, at least one row. The last column is their count before. */
export const bounded = (rows: string, bytes = String(bytesAtOnce)) => `
  select * from (
    select *, sum(_size) over (order by _place) - _size as _before, count(*) over () as _rows from (${rows}) as _chosen
  ) as _measured where _before < ${bytes} order by _place`;

/** A timestamp as text: UTC with milliseconds, as in every answer. */
export const moment = (expression: string) =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The clock of the database, shared by all instances. Never before the last change, even if a new primary's clock is. */
export const now = 'greatest(clock_timestamp(), (select at from changes order by seq desc limit 1))';
export const before = (ms: string) => `${now} - ${ms}::float8 * interval '1 millisecond'`;
