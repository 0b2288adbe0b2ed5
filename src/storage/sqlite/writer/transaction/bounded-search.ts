/** The searches of one transaction. All other writes wait meanwhile, so their time is bounded. */
import type { Database } from 'bun:sqlite';
import { fewExamined, maxExamined, maxMatching } from '../../../../domain/store/operation.ts';
import { type Rows, type Search, searchAtOnce, searchIn } from '../../search/search.ts';
import { withWordSets } from '../../search/word-sets.ts';
import type { PreparedStatements } from '../../statements/prepared-statements.ts';
import type { StoredRow } from '../table-writer.ts';
import { Fault } from './fault.ts';
import { type RecordCondition, received, receivedSearch, type SentSearch } from './transaction-message.ts';

/** Rows in the first slice: records can be large. */
const firstRows = 4;

type Found = { readonly rows: Rows['rows']; readonly examined: number };

export class BoundedSearch {
  /** Milliseconds. */
  #spent = 0;

  constructor(
    readonly db: Database,
    readonly statements: PreparedStatements,
  ) {}

  /** The ids of the records that match, or their number. Throws a Fault. */
  find(sent: SentSearch): Rows['rows'] {
    const search = receivedSearch(sent);
    const start = performance.now();
    const { rows, examined } = search.walk === undefined ? this.#atOnce(search) : this.#inSlices(search);
    this.#spend(performance.now() - start, examined, rows.length);
    return rows;
  }

  /** The record if it matches, or else null. Throws a Fault. */
  record({ sql, parameters }: RecordCondition, recordId: number): StoredRow | null {
    const start = performance.now();
    const row = this.statements.of(sql).get(...received(parameters), recordId);
    this.#spend(performance.now() - start, 1, 1);
    return row as StoredRow | null;
  }

  #spend(ms: number, examined: number, found: number): void {
    this.#spent += timeOf(ms, examined);
    // More than may be changed, however long it took to find them.
    if (this.#spent > maxExamined.ms && found <= maxMatching) throw new Fault('too many to read');
  }

  /** By an index alone. */
  #atOnce(search: Search): Found {
    const { rows } = searchAtOnce(this.statements, search);
    return { rows, examined: search.order === undefined ? Number(rows[0]?.[0] ?? 0) : rows.length };
  }

  #inSlices(search: Search): Found {
    const start = performance.now();
    const slices = withWordSets(this.db, search.sets, () =>
      searchIn(this.db, search, { first: firstRows, most: maxExamined.records + 1 }),
    );
    try {
      for (let examined = 0; ; ) {
        const { done, value } = slices.next();
        if (done === true) return { rows: value.rows, examined };
        examined = value ?? examined;
        const spent = this.#spent + timeOf(performance.now() - start, examined);
        if (spent > maxExamined.ms || examined > maxExamined.records) throw new Fault('too many to read');
      }
    } finally {
      // Its statements stay open otherwise.
      slices.return(undefined as never);
    }
  }
}

/** What counts of so many milliseconds: in those of a search of few records, the thread may not have run. */
function timeOf(ms: number, examined: number): number {
  return ms * (examined > fewExamined.records ? 1 : fewExamined.share);
}
