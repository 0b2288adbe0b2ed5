/** Reads of an engine, each with the predicate of a view: what it does not show is as if it did not exist. */

import { isNothing } from '../../domain/access/rights.ts';
import type { Sight, View } from '../../domain/access/view.ts';
import { concealerOf, visibleRecord } from '../../domain/access/visible-json.ts';
import type { Bytes } from '../../domain/bytes.ts';
import { knownValues } from '../../domain/feed/change-states.ts';
import type { Stored } from '../../domain/record/record.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import type { Requester } from '../../domain/store/client.ts';
import type { Listing } from '../../domain/store/listing.ts';
import {
  type EncodedPage,
  type EncodedRecord,
  type Page,
  positionIn,
  type RecordPage,
} from '../../domain/store/page.ts';
import type { Reads } from '../../domain/store/reads.ts';
import type { SummaryFormat } from '../../domain/summary/answer.ts';
import type { Summary } from '../../domain/summary/summary.ts';
import { type Matcher, matcher } from '../../domain/where/match.ts';
import { fieldsIn, filtersIn, type Where } from '../../domain/where/where.ts';
import { bytesAtOnce } from '../bytes-at-once.ts';
import type { EngineReads } from '../engine-reads.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Ids in one condition: a statement has a limited number of values. */
const idsAtOnce = 100;

/** A condition that a record in memory is judged by: without paths, which lead to other records. */
type Judge = { readonly matches: Matcher; readonly fields: ReadonlySet<string> };

export class ViewedReads implements Reads {
  readonly #judges = new WeakMap<Where, Judge | 'needs the engine'>();

  constructor(readonly engine: EngineReads) {}

  tagOf(record: Bytes): string {
    return this.engine.tagOf(record);
  }

  list(view: View, requester?: Requester): Soon<Listing> {
    const { collection, sight } = view;
    return sight === undefined ? this.engine.list(collection, requester) : this.#listing(view, sight);
  }

  contractRecord(view: View, contractId: bigint, requester?: Requester): Soon<Bytes | undefined> {
    const { collection, sight } = view;
    if (sight === undefined) return this.engine.contractRecord(collection, contractId, requester);
    const where: Where = [{ field: 'external_id', operator: 'eq', values: [contractId] }];
    return this.#first(view, where).then((found) => found && encoder.encode(contractText(sight, found)));
  }

  one(view: View, recordId: number, requester?: Requester): Soon<EncodedRecord | undefined> {
    const { collection, sight } = view;
    if (sight === undefined) return this.engine.one(collection, recordId, requester);
    if (isNothing(sight.where)) return undefined;
    const judge = this.#judgeOf(view, sight.where);
    if (judge !== 'needs the engine')
      return soon(
        this.engine.one(collection, recordId, requester),
        (found) => found && this.#seen(view, sight, judge, found),
      );
    return this.#first(view, [{ field: 'id', operator: 'eq', values: [BigInt(recordId)] }]).then(
      (found) => found && { bytes: encoder.encode(sight.seen.record.encode(found)), version: found.version },
    );
  }

  async some(view: View, recordIds: readonly number[], requester?: Requester): Promise<RecordPage> {
    const { collection, sight } = view;
    if (sight === undefined) return this.engine.some(collection, recordIds, requester);
    const records: Stored[] = [];
    for (let at = 0; at < recordIds.length; at += idsAtOnce) {
      const ids = recordIds.slice(at, at + idsAtOnce);
      const where: Where = [{ field: 'id', operator: 'in', values: ids.map(BigInt) }];
      const page = await this.records(view, { where, sort: [], after: undefined, limit: ids.length });
      records.push(...page.records);
      if (page.more) return { records: await this.#readFirst(view, records, recordIds), more: true };
    }
    return { records: inOrder(records, recordIds), more: false };
  }

  page(view: View, page: Page, requester?: Requester): Soon<EncodedPage> {
    const { collection, sight } = view;
    if (sight === undefined) return this.engine.page(collection, page, requester);
    if (sight.isWhole) return this.engine.page(collection, within(sight, page), requester);
    return this.#partOfPage(view, sight, page, requester);
  }

  async records(view: View, page: Page, requester?: Requester): Promise<RecordPage> {
    const { collection, sight } = view;
    if (sight === undefined) return this.engine.records(collection, page, requester);
    const [wanted, visible] = [within(sight, page), visibleIn(sight)];
    const records: Stored[] = [];
    for (let { after } = page; ; ) {
      const limit = page.limit - records.length;
      const read = await this.engine.records(collection, { ...wanted, after, limit }, requester);
      records.push(...read.records.map(visible));
      const last = read.records.at(-1);
      if (sight.isWhole || !read.more || records.length >= page.limit || last === undefined)
        return { records, more: read.more };
      // Large hidden values end a read early: they must not decide where a page ends.
      const fitting = fittingOf(records);
      if (fitting < records.length) return { records: records.slice(0, fitting), more: true };
      after = positionIn(page, last);
    }
  }

  stream(
    view: View,
    wanted: Pick<Page, 'where' | 'sort'>,
    encode: (records: readonly Stored[]) => Bytes,
    requester: Requester,
  ): AsyncGenerator<Bytes, void> {
    const { collection, sight } = view;
    if (sight === undefined) return this.engine.stream(collection, wanted, encode, requester);
    const visible = visibleIn(sight);
    return this.engine.stream(collection, within(sight, wanted), (records) => encode(records.map(visible)), requester);
  }

  explain(view: View, page: Page): Promise<readonly (readonly string[])[]> {
    const { collection, sight } = view;
    if (sight !== undefined) throw new Error('a plan tells of records that are not visible');
    return this.engine.explain(collection, page);
  }

  total({ collection, sight }: View, where: Where, requester?: Requester): Promise<number> {
    const all = sight === undefined ? where : within(sight, { where }).where;
    return this.engine.total(collection, all, requester);
  }

  summary({ collection, sight }: View, wanted: Summary, format: SummaryFormat, requester?: Requester): Promise<string> {
    const summary = sight === undefined ? wanted : within(sight, wanted);
    return this.engine.summary(collection, summary, format, requester);
  }

  count(view: View): Promise<number> {
    return view.sight === undefined ? this.engine.count(view.collection) : this.total(view, []);
  }

  estimate(view: View): Promise<number> {
    return view.sight === undefined ? this.engine.estimate(view.collection) : this.total(view, []);
  }

  /** Large records: only those before the first one that was not read, but at least one. They are read in the order of their ids. */
  async #readFirst(view: View, read: readonly Stored[], recordIds: readonly number[]): Promise<readonly Stored[]> {
    const last = read.at(-1)?.recordId ?? 0;
    const end = recordIds.findIndex((recordId) => recordId > last);
    const first = inOrder(read, recordIds.slice(0, end));
    if (first.length > 0) return first;
    const [next] = recordIds.slice(end);
    const one =
      next === undefined
        ? undefined
        : await this.#first(view, [{ field: 'id', operator: 'eq', values: [BigInt(next)] }]);
    return one === undefined ? [] : [one];
  }

  async #first(view: View, where: Where): Promise<Stored | undefined> {
    const { records } = await this.records(view, { where, sort: [], after: undefined, limit: 1 });
    return records[0];
  }

  #partOfPage(view: View, sight: Sight, page: Page, requester?: Requester): Soon<EncodedPage> {
    const conceal = concealerOf(view.collection, sight.seen);
    if (conceal === undefined) return this.#encodedPage(view, sight, page, requester);
    return soon(this.engine.page(view.collection, within(sight, page), requester), (whole) =>
      // Large hidden values may have ended it.
      whole.more && whole.bytes.length > bytesAtOnce / 4
        ? this.#encodedPage(view, sight, page, requester)
        : { ...whole, bytes: encoder.encode(conceal(decoder.decode(whole.bytes))) },
    );
  }

  async #encodedPage(view: View, sight: Sight, page: Page, requester?: Requester): Promise<EncodedPage> {
    const { records, more } = await this.records(view, page, requester);
    const bytes = encoder.encode(records.map(sight.seen.record.encode).join(','));
    const last = records.at(-1);
    return { bytes, last: last === undefined ? { recordId: 0, values: [] } : positionIn(page, last), more };
  }

  #judgeOf({ collection }: View, where: Where): Judge | 'needs the engine' {
    const known = this.#judges.get(where);
    if (known !== undefined) return known;
    const judge = filtersIn(where).some(({ via }) => via !== undefined)
      ? 'needs the engine'
      : { matches: matcher(collection, where), fields: new Set(fieldsIn(where)) };
    this.#judges.set(where, judge);
    return judge;
  }

  #seen(
    { collection }: View,
    { isWhole, seen, where }: Sight,
    { matches, fields }: Judge,
    found: EncodedRecord,
  ): EncodedRecord | undefined {
    if (isWhole && where.length === 0) return found;
    const text = decoder.decode(found.bytes);
    // A condition can be on no field, as that of an empty list, which holds for no record.
    if (where.length > 0) {
      const values = knownValues(collection, text, fields);
      // A value that cannot be judged hides the record.
      if ([...fields].some((field) => !(field in values)) || !matches(values)) return undefined;
    }
    if (isWhole) return found;
    const visible = concealerOf(collection, seen)?.(text) ?? visibleRecord(seen, text);
    return { bytes: encoder.encode(visible), version: found.version };
  }

  /** Read from the engine for each reader: its tag would be that of records that are not visible. */
  #listing(view: View, sight: Sight): Listing {
    const encode = (first: () => boolean) => (records: readonly Stored[]) =>
      encoder.encode(records.map((one) => `${first() ? '' : ','}${contractText(sight, one)}`).join(''));
    return {
      tag: undefined,
      size: undefined,
      parts: (client) => {
        let isFirst = true;
        const takeFirst = () => {
          const was = isFirst;
          isFirst = false;
          return was;
        };
        const wanted = { where: [], sort: [] };
        return enclosed(this.stream(view, wanted, encode(takeFirst), { client, signal: undefined }));
      },
    };
  }
}

/** The elements of a list between its brackets. */
async function* enclosed(parts: AsyncGenerator<Bytes, void>): AsyncGenerator<Bytes, void> {
  // The first part comes with the bracket: a failure can still be answered.
  let lead = '[';
  for await (const part of parts) {
    yield lead === '' ? part : Buffer.concat([encoder.encode(lead), part]);
    lead = '';
  }
  yield encoder.encode(`${lead}]`);
}

function within<Wanted extends { readonly where: Where }>({ where }: Sight, wanted: Wanted): Wanted {
  return where.length === 0 ? wanted : { ...wanted, where: [...where, ...wanted.where] };
}

/** Without the values of hidden fields, so that nobody can encode them. */
function visibleIn({ isWhole, seen }: Sight): (stored: Stored) => Stored {
  if (isWhole) return (stored) => stored;
  return (stored) => {
    const row = Object.fromEntries(Object.entries(stored.row).filter(([key]) => Object.hasOwn(seen.fields, key)));
    return { ...stored, row };
  };
}

/** How many of these records are a page: the last one may exceed the limit. */
function fittingOf(records: readonly Stored[]): number {
  let size = 0;
  const large = records.findIndex(({ row }) => {
    for (const value of Object.values(row)) if (typeof value === 'string') size += value.length;
    return size > bytesAtOnce;
  });
  return large < 0 ? records.length : large + 1;
}

function contractText({ seen }: Sight, { row }: Stored): string {
  return seen.encode(row);
}

function inOrder(records: readonly Stored[], recordIds: readonly number[]): readonly Stored[] {
  const byId = new Map(records.map((one) => [one.recordId, one]));
  return recordIds.flatMap((recordId) => byId.get(recordId) ?? []);
}
