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
    },
    indexes: [['state', 'price'], 'pages'],
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

test('a list of values in another field than the first does not keep the order', () => {
  expect(use(eq('state'), among('price'))).toEqual(['state eq', '"state","price","seq"']);
});

test('without an index, records are read in the order of their ids', () => {
  expect(use()).toEqual(['', '"seq"']);
  expect(use(gt('price'))).toEqual(['', '"seq"']);
  expect(use({ any: [[eq('pages')]] }, { not: [eq('isbn')] })).toEqual(['', '"seq"']);
});
