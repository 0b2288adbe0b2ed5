/** A page of records, as it is wanted and as it is read. */
import type { Bytes } from '../bytes.ts';
import type { Order, Position } from '../input/query.ts';
import { type Stored, valuesOf } from '../record/record.ts';
import type { Where } from '../where/where.ts';

export type Page = {
  readonly where: Where;
  readonly sort: readonly Order[];
  readonly after: Position | undefined;
  readonly limit: number;
};

/** The position of a record in a list with this order. */
export function positionIn({ sort }: Pick<Page, 'sort'>, record: Stored): Position {
  const values = valuesOf(record);
  return { recordId: record.recordId, values: sort.map(({ field }) => values[field] ?? null) };
}

/** `more`: there are records after these. */
export type RecordPage = { readonly records: readonly Stored[]; readonly more: boolean };

/** Records as the production API returns them, with commas between them. `last` is the position of the last one; it has no meaning unless there are more. */
export type EncodedPage = { readonly bytes: Bytes; readonly last: Position; readonly more: boolean };

/** A record as the production API returns it. */
export type EncodedRecord = { readonly bytes: Bytes; readonly version: number };
