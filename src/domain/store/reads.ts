/**
 * The records of a store, each read for somebody: what its view does not show is as if it did not exist. Every read but `estimate` includes all writes
 * that were acknowledged before the call.
 */
import type { View } from '../access/view.ts';
import type { Bytes } from '../bytes.ts';
import type { Stored } from '../record/record.ts';
import type { Soon } from '../soon.ts';
import type { SummaryFormat } from '../summary/answer.ts';
import type { Summary } from '../summary/summary.ts';
import type { Where } from '../where/where.ts';
import type { Requester } from './client.ts';
import type { Listing } from './listing.ts';
import type { EncodedPage, EncodedRecord, Page, RecordPage } from './page.ts';

export interface Reads {
  /** Every record in insertion order. */
  list(view: View, requester?: Requester): Soon<Listing>;

  /** The earliest record with this id of the contract, as the contract returns it. */
  contractRecord(view: View, contractId: bigint, requester?: Requester): Soon<Bytes | undefined>;

  /** The strong entity tag of a record's bytes, quoted. The precondition of a deletion by the contract's id uses these tags. */
  tagOf(record: Bytes): string;

  one(view: View, recordId: number, requester?: Requester): Soon<EncodedRecord | undefined>;

  /**
   * The records with these record ids, in their order; those that do not exist are left out. If they are large, only the first ones:
   * `more` says that those after the last record are not read.
   */
  some(view: View, recordIds: readonly number[], requester?: Requester): Promise<RecordPage>;

  /**
   * Records in the requested order, after a position: at most `limit`, fewer if they are large. Rejects with
   * `timed_out` if it takes too long.
   */
  page(view: View, page: Page, requester?: Requester): Soon<EncodedPage>;

  /** The same page as values. */
  records(view: View, page: Page, requester?: Requester): Promise<RecordPage>;

  /**
   * Every record that matches, in the requested order, as of one moment. `encode` makes the bytes of each part. A reader that stops early must
   * call `return`.
   */
  stream(
    view: View,
    wanted: Pick<Page, 'where' | 'sort'>,
    encode: (records: readonly Stored[]) => Bytes,
    requester: Requester,
  ): AsyncGenerator<Bytes, void>;

  /** For a view of everything. The fields of each index by which the engine finds the records of a page; none if it reads all of them. */
  explain(view: View, page: Page): Promise<readonly (readonly string[])[]>;

  /** The number of records that match. */
  total(view: View, where: Where, requester?: Requester): Promise<number>;

  /**
   * The text of a summary, as of one moment. Rejects with `invalid_query` if it has too many groups or values, and like `page`.
   */
  summary(view: View, wanted: Summary, format: SummaryFormat, requester?: Requester): Promise<string>;

  count(view: View): Promise<number>;

  /** The approximate number of records: exact if they are few, and for a view of a part. */
  estimate(view: View): Promise<number>;
}
