/** A CSV file of items in batches of one row. */
import { Batches } from '../src/cli/import-file/batches.ts';
import { items } from '../src/collections/items.ts';

export function csvBatches(csv: string): Batches {
  const input = {
    name: 'file.csv',
    size: csv.length,
    async *pieces() {
      yield Buffer.from(csv);
    },
    close: async () => {},
  };
  return new Batches(input, { collection: items, mapped: new Map(), maxRow: 100, rows: 1 });
}
