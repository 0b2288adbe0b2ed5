import { expect, test } from 'bun:test';
import { brokenAt, lineOf, placeOf } from './place-of.ts';

const file = `{
  // "books": here not.
  "collections": {
    "books": {
      "fields": { "title": "text" },
      "indexes": ["title", ["titel"]]
    }
  }
}`;

test.each([
  ['collections.books.fields.title', '"title": "text"', 5],
  ['collections.books.fields.title.max', '"title": "text"', 5],
  ['collections.books.indexes[1][0]', '"titel"', 6],
  ['collections.books.singular', '"books": {', 4],
])('%s is found, or what it would be in', (path, found, line) => {
  const place = placeOf(file, path);
  expect(file.slice(place?.offset)).toStartWith(found);
  expect(place === undefined ? 0 : lineOf(file, place)).toBe(line);
});

test('what is nowhere has no place, nor has JSON an end that is broken', () => {
  expect(placeOf(file, 'settings.port')).toBeUndefined();
  expect(placeOf('{ "a": ', 'a')).toBeUndefined();
  expect(brokenAt(file)).toBeUndefined();
  expect(brokenAt('{\n  "a": 1\n  "b": 2 }')?.offset).toBe(13);
});
