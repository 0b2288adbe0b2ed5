/** The records as an engine has them, for every caller alike. `views/` shows each caller what it may see. */
import type { Bytes } from '../domain/bytes.ts';
import type { Collection } from '../domain/record/collection.ts';
import type { Stored } from '../domain/record/record.ts';
import type { Soon } from '../domain/soon.ts';
import type { Requester } from '../domain/store/client.ts';
import type { Listing } from '../domain/store/listing.ts';
import type { EncodedPage, EncodedRecord, Page, RecordPage } from '../domain/store/page.ts';
import type { SummaryFormat } from '../domain/summary/answer.ts';
import type { Summary } from '../domain/summary/summary.ts';
import type { Where } from '../domain/where/where.ts';

export interface EngineReads {
  /** Every record in insertion order. */
  list(collection: Collection, requester?: Requester): Soon<Listing>;

  /** The earliest record with this id of the contract, as the contract returns it. */
  contractRecord(collection: Collection, contractId: bigint, requester?: Requester): Soon<Bytes | undefined>;

  /** The strong entity tag of a record's bytes, quoted. The precondition of a deletion by the contract's id uses these tags. */
  tagOf(record: Bytes): string;

  one(collection: Collection, recordId: number, requester?: Requester): Soon<EncodedRecord | undefined>;

  /**
   * The records with these record ids, in their order; those that do not exist are left out. If they are large, only the first ones:
   * `more` says that those after the last record are not read.
   */
  some(collection: Collection, recordIds: readonly number[], requester?: Requester): Promise<RecordPage>;

  /**
   * Records in the requested order, after a position: at most `limit`, fewer if they are large. Rejects with
   * `timed_out` if it takes too long.
   */
  page(collection: Collection, page: Page, requester?: Requester): Soon<EncodedPage>;

  /** The same page as values. */
  records(collection: Collection, page: Page, requester?: Requester): Promise<RecordPage>;

  /**
   * Every record that matches, in the requested order, as of one moment. `encode` makes the bytes of each part. A reader that stops early must
   * call `return`.
   */
  stream(
    collection: Collection,
    wanted: Pick<Page, 'where' | 'sort'>,
    encode: (records: readonly Stored[]) => Bytes,
    requester: Requester,
  ): AsyncGenerator<Bytes, void>;

  /** The fields of each index by which the engine finds the records of a page; none if it reads all of them. */
  explain(collection: Collection, page: Page): Promise<readonly (readonly string[])[]>;

  /** The number of records that match. */
  total(collection: Collection, where: Where, requester?: Requester): Promise<number>;

  /**
   * The text of a summary, as of one moment. Rejects with `invalid_query` if it has too many groups or values, and like `page`.
   */
  summary(collection: Collection, wanted: Summary, format: SummaryFormat, requester?: Requester): Promise<string>;

  count(collection: Collection): Promise<number>;

  /** The approximate number of records: never slow, and exact if they are few. */
  estimate(collection: Collection): Promise<number>;
}
