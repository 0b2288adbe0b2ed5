/** Every mistake in what is searched by words, each with the path to it. */
import { expect, test } from 'bun:test';
import { readDeclarations } from '../check.ts';
import { checkStored } from '../check-stored.ts';
import { Mistakes } from '../mistakes.ts';
import { maxSearched } from './check-search.ts';

const fields = {
  title: 'text',
  text: { type: 'text', optional: true, search: true },
  note: { type: 'text', search: false },
  pages: 'integer',
  tags: { type: 'list', of: 'text' },
};

function mistakesOf(search: unknown, more: object = {}): readonly string[] {
  const mistakes = new Mistakes();
  readDeclarations({ books: { singular: 'book', fields: { ...fields, ...more }, search } }, '', {}, mistakes);
  return mistakes.lines.map((line) => line.replace('.books', ''));
}

test('fields that say it themselves, and a list of fields', () => {
  expect(mistakesOf(undefined)).toEqual([]);
  expect(mistakesOf(['title', 'note'])).toEqual([]);
});

test('a list of different text fields that exist', () => {
  expect(mistakesOf('title')).toEqual(['.search: must be a list of text fields, such as ["title"], not "title"']);
  expect(mistakesOf([])).toEqual(['.search: must be a list of text fields, such as ["title"], not a list']);
  expect(mistakesOf(['titel', 'pages', 'tags', 7, 'text', 'title', 'title'])).toEqual([
    '.search[0]: there is no field "titel"; did you mean "title"?',
    '.search[1]: a field of type integer cannot be searched by its words: only text can',
    '.search[2]: a field of type list cannot be searched by its words: only text can',
    '.search[3]: must be a field, not 7',
    '.search[4]: text has "search" itself: remove one of them',
    '.search[6]: is there already: remove one of them',
  ]);
});

test('the option of a field', () => {
  expect(mistakesOf(undefined, { pages: { type: 'integer', search: true } })).toEqual([
    '.fields.pages.search: a field of type integer cannot be searched by its words: only text can',
  ]);
  expect(mistakesOf(undefined, { title: { type: 'text', search: 'yes' } })).toEqual([
    '.fields.title.search: must be true or false, not "yes"',
  ]);
  expect(mistakesOf(undefined, { tags: { type: 'list', of: { type: 'text', search: true } } })).toEqual([
    expect.stringContaining('.fields.tags.of.search: there is no such option of text'),
  ]);
});

test('no field has the name of the search of all fields, where there is one', () => {
  expect(mistakesOf(['title'], { words: 'text' })).toEqual([
    '.fields.words: is the search of all fields in a collection with search: choose another name',
  ]);
  expect(mistakesOf(undefined, { words: 'text', text: 'text' })).toEqual([]);
});

test('at most so many fields', () => {
  const more = Object.fromEntries(
    Array.from({ length: maxSearched }, (_, at) => [`f${at}`, { type: 'text', search: true }]),
  );
  expect(mistakesOf(undefined, { ...more, text: 'text' })).toEqual([]);
  expect(mistakesOf(undefined, more)).toEqual([
    `: has ${maxSearched + 1} fields with search; at most ${maxSearched} are possible`,
  ]);
});

test('a stored declaration is read with it, and a wrong one is refused', () => {
  const stored = (search: unknown) => ({ books: { now: { singular: 'book', fields, search }, earlier: [] } });
  expect(checkStored(stored(['title']))).toMatchObject({ books: { now: { search: ['title'] } } });
  expect(checkStored(stored(['pages']))).toContain('cannot be searched by its words');
});
