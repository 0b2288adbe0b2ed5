/** Every mistake in the field that names a record, and what a change of it does to the database: nothing. */
import { expect, test } from 'bun:test';
import { seenCollection } from '../../domain/access/seen-collection.ts';
import { collection } from '../../domain/record/collection.ts';
import { readDeclarations } from '../check.ts';
import { Mistakes } from '../mistakes.ts';
import { planFor } from '../plan.ts';

const fields = { isbn: 'text', title: 'text', pages: 'integer' } as const;

function read(shownAs: unknown) {
  const mistakes = new Mistakes();
  const { books } = readDeclarations({ books: { fields, shown_as: shownAs } }, '', {}, mistakes);
  return { books, lines: mistakes.lines.map((line) => line.replace('.books', '')) };
}

test('a text field that exists', () => {
  expect(read(undefined).lines).toEqual([]);
  expect(read('title').lines).toEqual([]);
  expect(read(['title']).lines).toEqual(['.shown_as: must be a text field, such as "title", not a list']);
  expect(read('titel').lines).toEqual(['.shown_as: there is no field "titel"; did you mean "title"?']);
  expect(read('pages').lines).toEqual(['.shown_as: pages is "integer": name a field of type text']);
});

test('a new one needs no step', () => {
  const [before, after] = [read(undefined).books, read('title').books];
  if (before === undefined || after === undefined) throw new Error('not read');
  expect(planFor({ books: { now: before, earlier: [] } }, { books: after })).toMatchObject([
    { steps: [], isEarlier: false, after: { shown_as: 'title' } },
  ]);
});

test('a role that may not see the field does not learn its name', () => {
  const { books } = read('title');
  if (books === undefined) throw new Error('not read');
  const seen = (field: string) =>
    seenCollection(
      collection('books', books),
      (one) => one === field,
      () => true,
    ).declaration.shown_as;
  expect(seen('isbn')).toBeUndefined();
  expect(seen('title')).toBe('title');
});
