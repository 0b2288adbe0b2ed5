import { expect, test } from 'bun:test';
import { declared } from '../../../../test/support/data/library.ts';
import type { Where } from '../../../domain/where/where.ts';
import { indexFor } from './index-for.ts';

const [books] = declared({
  books: {
    singular: 'book',
    contract: true,
    fields: {
      isbn: { type: 'text', max: 13, unique: true },
      state: { type: 'text', max: 10 },
      price: { type: 'integer', optional: true },
      pages: { type: 'integer' },
      row: { type: 'integer' },
      place: { type: 'integer', optional: true },
    },
    indexes: [['state', 'price'], 'pages'],
    unique: [['row', 'place'], ['place', 'isbn'], { fields: ['price'], where: { pages: 1 } }],
  },
}).filter(({ name }) => name === 'books');

const eq = (field: string) => ({ field, operator: 'eq', values: ['1'] }) as const;
const gt = (field: string) => ({ field, operator: 'gt', values: ['1'] }) as const;
const among = (field: string) => ({ field, operator: 'in', values: ['1', '2'] }) as const;
const isNull = (field: string) => ({ field, operator: 'is', values: ['null'] }) as const;

const use = (...where: Where) => {
  if (books === undefined) throw new Error('there are books');
  const { filters, order } = indexFor(books, where);
  return [filters.map(({ field, operator }) => `${field} ${operator}`).join(', '), order.join()];
};

test('the index that finds the fewest records is walked in its own order', () => {
  expect(use(eq('pages'), eq('isbn'))).toEqual(['isbn eq', '"isbn","seq"']);
  expect(use(eq('pages'), eq('state'), gt('price'))).toEqual(['state eq, price gt', '"state","price","seq"']);
  expect(use(eq('pages'), eq('state'), isNull('price'))).toEqual(['state eq, price is', '"state","price","seq"']);
  expect(use(gt('id'), gt('id'), eq('state'))).toEqual(['state eq', '"state","price","seq"']);
  expect(use(gt('id'), among('pages'))).toEqual(['pages in', '"pages","seq"']);
  expect(use(among('id'), eq('pages'))).toEqual(['id in', '"seq"']);
  expect(use(eq('external_id'))).toEqual(['external_id eq', '"id","seq"']);
});

test('a unique rule finds one record by all of its fields', () => {
  expect(use(eq('state'), eq('price'), eq('row'), eq('place'))).toEqual(['row eq, place eq', '"row","place","seq"']);
  expect(use(eq('row'), gt('place'))).toEqual(['row eq, place gt', '"row","place","seq"']);
  expect(use(gt('place'))).toEqual(['place gt', '"place","isbn","seq"']);
  expect(use(among('place'), eq('pages'))).toEqual(['pages eq', '"pages","seq"']);
});

test('a unique rule is not used where many records can have null, nor where it is for some records only', () => {
  expect(use(eq('row'))).toEqual(['', '"seq"']);
  expect(use(isNull('place'), eq('row'))).toEqual(['', '"seq"']);
  expect(use(eq('price'))).toEqual(['', '"seq"']);
});

test('a list of values in another field than the first does not keep the order', () => {
  expect(use(eq('state'), among('price'))).toEqual(['state eq', '"state","price","seq"']);
});

test('without an index, records are read in the order of their ids', () => {
  expect(use()).toEqual(['', '"seq"']);
  expect(use(gt('price'))).toEqual(['', '"seq"']);
  expect(use({ any: [[eq('pages')]] }, { not: [eq('isbn')] })).toEqual(['', '"seq"']);
});
