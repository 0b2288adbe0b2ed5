/** The batches of the file that the command imports, with records for a database. */

import { CsvRecords } from '../../domain/csv/records.ts';
import type { Failure } from '../../domain/errors.ts';
import { JsonLines } from '../../domain/input/json-lines.ts';
import type { Entry } from '../../domain/input/text-entry.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { type Batch, batchesOf, type FileSource, type RowReader } from '../../import/cut-batches.ts';
import { formatOf, meaningOfColumns, meaningOfMembers, type RecordKey } from '../../import/layout.ts';
import { rejectNames } from '../../import/refused-text.ts';
import { type GoodRow, type RefusedRow, reasonOf } from '../../import/rows.ts';

export type BatchOptions = {
  readonly collection: Collection;
  readonly mapped: ReadonlyMap<string, string | undefined>;
  readonly key: RecordKey;
  /** The most characters of a row. */
  readonly maxRow: number;
  /** Rows of a batch, if they are fewer: for tests. */
  readonly rows?: number | undefined;
};

export function fileBatches(source: FileSource, options: BatchOptions): AsyncGenerator<Batch> {
  return batchesOf({
    source,
    readerFor(piece) {
      const text = new TextDecoder().decode(piece.subarray(0, 1024));
      return formatOf(source.name, text) === 'lines' ? lineReader(options) : csvReader(options);
    },
    newHash: () => new Bun.CryptoHasher('sha256'),
    rows: options.rows,
  });
}

function lineReader({ collection, mapped, key, maxRow }: BatchOptions): RowReader {
  const left = rejectNames.map((member) => [member, undefined] as const);
  const lines = new JsonLines(collection, { maxLine: maxRow, mapped: new Map([...left, ...mapped]), key });
  return {
    push: (bytes) => lines.push(bytes).map(rowOf),
    end: () => lines.end().map(rowOf),
    layout: () => ({ format: 'lines', separator: '', header: '' }),
    meaning: () =>
      meaningOfMembers(
        [...mapped].map(([name, field = null]) => [name, field]),
        key,
      ),
  };
}

function csvReader({ collection, mapped, key, maxRow }: BatchOptions): RowReader {
  const csv = new CsvRecords(collection, { maxRow, mapped, ignored: rejectNames, separator: 'any', key });
  return {
    push: (bytes) => csv.push(bytes).map(rowOf),
    end: () => csv.end().map(rowOf),
    layout: () => ({ format: 'csv', separator: csv.separator, header: csv.header?.source ?? '' }),
    meaning: () => meaningOfColumns(csv.separator, csv.fieldsOfColumns, key),
  };
}

function rowOf(entry: Entry): GoodRow | RefusedRow {
  if (!('failure' in entry)) return entry;
  const { line, source, failure, isFinal, isHeader = false } = entry;
  return { line, source, reason: reasonIn(failure), isFinal, isHeader };
}

function reasonIn({ problems = [], detail }: Failure): string {
  return problems.length === 0 ? detail.replace(/\.$/, '') : reasonOf(problems);
}
