/** Parts of statements that several files need. */
import type { Kind } from '../../domain/encode.ts';
import { bytesAtOnce } from '../bounds.ts';

/** Text is compared byte by byte, as on every engine, whatever language the database was made for. */
export const types: Readonly<Record<Kind, string>> = {
  integer: 'bigint',
  number: 'double precision',
  text: 'text collate "C"',
};

/** Of rows with a _size and a _place, those that fit, one at least; the last column says how many there were. */
export const bounded = (rows: string, bytes = String(bytesAtOnce)) => `
  select * from (
    select *, sum(_size) over (order by _place) - _size as _before, count(*) over () as _rows from (${rows}) as _chosen
  ) as _measured where _before < ${bytes} order by _place`;

/** How a moment is written, wherever it is. */
export const moment = (expression: string) =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The database's own clock, one for all instances; never behind the last change, whatever clock a new primary has. */
export const now = 'greatest(clock_timestamp(), (select at from changes order by seq desc limit 1))';
export const before = (ms: string) => `${now} - ${ms}::float8 * interval '1 millisecond'`;
