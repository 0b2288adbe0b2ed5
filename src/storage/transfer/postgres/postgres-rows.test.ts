import { expect, test } from 'bun:test';
import { at, itemsNamed } from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { recordRow } from './postgres-rows.ts';

test('a record has a value for each column, as PostgreSQL reads it', () => {
  const { into, fields } = recordRow(items);
  expect(into).toBe('"items" ("seq", "id", "name", "price", "version", "created_at", "updated_at")');
  const [one] = itemsNamed('one').map((stored) => ({ ...stored, row: { id: 2n ** 63n - 1n, name: 'n', price: 1e21 } }));
  expect(one === undefined ? [] : fields(one)).toEqual(['1', '9223372036854775807', 'n', '1e+21', '1', at, at]);
  const [absent] = itemsNamed('one').map((stored) => ({ ...stored, row: {} }));
  expect(absent === undefined ? [] : fields(absent)).toEqual(['1', null, null, null, '1', at, at]);
});
