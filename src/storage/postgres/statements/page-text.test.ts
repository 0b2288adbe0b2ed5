import { expect, test } from 'bun:test';
import { library } from '../../../../test/support/data/library.ts';
import { items } from '../../../collections/items.ts';
import { openTable } from './table.ts';

const now = new Date('2026-11-16T21:37:36.976Z');
const later = new Date('2026-11-17T00:00:00.000Z');

/** Columns as the driver returns them; its dates are not among the types of fields. */
const rowOf = (...columns: unknown[]) => columns as (string | number | boolean | null)[];

const rows = {
  items: [
    rowOf('1', '9223372036854775807', 'Widget', 9.99, '1', now, now),
    rowOf('9007199254740991', '-5', '"quoted"\n\u0001 \u2028 \u{1f600}', -0, '12', now, later),
    rowOf('3', '0', '', 1e21, '2', later, later),
  ],
  authors: [
    rowOf('1', 'Borges', '1899-08-24', '9007199254740993', '1', now, now),
    rowOf('2', 'Nobody', null, null, '1', now, now),
  ],
};

const collections = [items, ...library.filter(({ name }) => name === 'authors')];

test.each(collections.map((collection) => [collection.name, collection] as const))(
  'a page of %s has the text of its records',
  (name, collection) => {
    const { pageText, decode } = openTable(collection);
    const all = rows[name as keyof typeof rows];
    for (const page of [[], all.slice(0, 1), all]) {
      const records = page.map(([recordId, ...row]) => collection.record.encode(decode(Number(recordId), row)));
      expect(pageText(page)).toBe(records.join(','));
      expect(() => JSON.parse(`[${pageText(page)}]`)).not.toThrow();
    }
  },
);

test('columns after the times are ignored, and a row without them is an error', () => {
  const { pageText } = openTable(items);
  const [row = []] = rows.items;
  expect(pageText([[...row, '120', '1', null]])).toBe(pageText([row]));
  expect(() => pageText([row.slice(0, -1)])).toThrow('a time is missing');
});
