/** A CSV file of items in batches of one row. */
import { fileBatches } from '../../../src/cli/import-file/file-batches.ts';
import { items } from '../../../src/collections/items.ts';
import type { Batch } from '../../../src/import/cut-batches.ts';

export function csvBatches(csv: string): AsyncGenerator<Batch> {
  const input = {
    name: 'file.csv',
    size: csv.length,
    async *pieces() {
      yield Buffer.from(csv);
    },
  };
  return fileBatches(input, { collection: items, mapped: new Map(), key: undefined, maxRow: 100, rows: 1 });
}
