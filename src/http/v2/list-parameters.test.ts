import { expect, test } from 'bun:test';
import { collection } from '../../domain/record/collection.ts';
import { filterParameters } from './list-parameters.ts';

const books = collection('books', {
  singular: 'book',
  fields: { title: { type: 'text', max: 100 }, pages: { type: 'integer' } },
});

test('in a list of values no text has a comma, which separates them; other values are as they are', () => {
  const schemaOf = (wanted: string) => filterParameters(books).find(({ name }) => name === wanted)?.schema;
  expect(schemaOf('title[in]')).toMatchObject({ items: { type: 'string', pattern: '^[^\\u0000,]*$' } });
  expect(schemaOf('pages[in]')).toMatchObject({ items: schemaOf('pages') });
});
