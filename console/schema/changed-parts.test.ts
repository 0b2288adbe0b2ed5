import { expect, test } from 'bun:test';
import { changedParts, nameOf, withParts } from './changed-parts.ts';

const base = `{
  "collections": {
    "books": {
      "singular": "book",
      "fields": { "title": "text", "pages": { "type": "integer" } } // all
    }
  }
}
`;

test('what differs is named by field, and layout does not count', () => {
  const after = base
    .replace('"title": "text"', '"title": { "type": "text" }')
    .replace('"integer"', '"integer", "min": 1')
    .replace('"singular": "book",', '')
    .replace('} // all', ', "state": "text" } // all')
    .replace('{\n', '{\n  "settings": { "port": 1 },\n');
  expect(changedParts(base, after).map(nameOf)).toEqual(['settings', 'books.pages', 'books.state', 'books.singular']);
  expect(changedParts(base, base)).toEqual([]);
});

test('the changes of two people come together', () => {
  const mine = base.replace('"integer"', '"integer", "min": 1');
  const theirs = base.replace('"title": "text"', '"title": "text", "isbn": "text"').replace('// all', '// theirs');
  expect(withParts(theirs, changedParts(base, mine))).toBe(theirs.replace('"integer"', '"integer", "min": 1'));
  const removed = base.replace(', "pages": { "type": "integer" }', '');
  expect(withParts(theirs, changedParts(base, removed))).toBe(theirs.replace(', "pages": { "type": "integer" }', ''));
});
