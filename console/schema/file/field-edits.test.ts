import { describe, expect, test } from 'bun:test';
import { addCollection, removeCollection, renameCollection, setCollectionMember } from './collection-edits.ts';
import { addField, originOf, removeField, renameField, setOption, setType } from './field-edits.ts';
import { collectionsIn } from './model.ts';

const file = `{
  "collections": {
    "books": {
      "fields": {
        "title": "text", // as printed
        "price": { "type": "decimal", "scale": 2, "min": "0", "unique": true },
        "author": { "type": "reference", "to": "authors" }
      },
      "indexes": ["title", ["author", "title"]],
      "unique": [["title", "author"], { "fields": ["title"], "where": { "title": { "ne": "title" } } }],
      "check": [{ "where": { "any": [{ "title.x": 1 }, { "price": { "gt": { "field": "title" } } }] }, "message": "title" }],
      "access": { "member": { "read": { "fields": ["title"], "where": { "price": { "in": ["title"] } } } } }
    },
    "authors": { "fields": { "name": "text" } }
  }
}
`;
const title = { collection: 'books', field: 'title' };
const price = { collection: 'books', field: 'price' };
const lineOf = (text: string, name: string) =>
  text
    .split('\n')
    .find((line) => line.includes(`"${name}":`))
    ?.trim();

describe('a field', () => {
  test('is added in its shortest form', () => {
    expect(lineOf(addField(file, { ...title, field: 'a' }, { type: 'date', options: new Map() }), 'a')).toBe(
      '"a": "date"',
    );
    const options = new Map([['of', '["x","y"]']]);
    expect(lineOf(addField(file, { ...title, field: 'a' }, { type: 'choice', options }), 'a')).toBe(
      '"a": { "type": "choice", "of": ["x", "y"] }',
    );
  });

  test('gets and loses options; the short form becomes long', () => {
    const bounded = setOption(file, title, 'max', '9007199254740993');
    expect(lineOf(bounded, 'title')).toBe('"title": { "type": "text", "max": 9007199254740993 }, // as printed');
    expect(lineOf(setOption(bounded, title, 'max', undefined), 'title')).toBe(
      '"title": { "type": "text" }, // as printed',
    );
    expect(setOption(file, title, 'max', undefined)).toBe(file);
    expect(setOption(file, { ...title, field: 'gone' }, 'max', '1')).toBe(file);
  });

  test('gets another type, with the options that it has, too', () => {
    expect(lineOf(setType(file, price, 'integer', []), 'price')).toBe(
      '"price": { "type": "integer", "unique": true },',
    );
    expect(lineOf(setType(file, price, 'choice', []), 'price')).toBe(
      '"price": { "type": "choice", "unique": true, "of": [] },',
    );
    expect(lineOf(setType(file, price, 'reference', ['books', 'authors']), 'price')).toContain('"to": "authors"');
    expect(setType(file, price, 'decimal', [])).toBe(file);
  });

  test('is renamed with everything that names it, and nothing else', () => {
    const renamed = renameField(file, title, 'name', 'title');
    expect(lineOf(renamed, 'name')).toBe('"name": { "type": "text", "was": "title" }, // as printed');
    expect(renamed.split('\n').slice(8, 12)).toEqual([
      '      "indexes": ["name", ["author", "name"]],',
      '      "unique": [["name", "author"], { "fields": ["name"], "where": { "name": { "ne": "title" } } }],',
      '      "check": [{ "where": { "any": [{ "name.x": 1 }, { "price": { "gt": { "field": "name" } } }] }, "message": "title" }],',
      '      "access": { "member": { "read": { "fields": ["name"], "where": { "price": { "in": ["title"] } } } } }',
    ]);
    // Back again, or a second time.
    expect(lineOf(renameField(renamed, { ...title, field: 'name' }, 'title', 'title'), 'title')).toBe(
      '"title": { "type": "text" }, // as printed',
    );
    expect(lineOf(renameField(renamed, { ...title, field: 'name' }, 'label', 'title'), 'label')).toContain(
      '"was": "title"',
    );
    expect(lineOf(renameField(file, title, 'name', undefined), 'name')).toBe('"name": "text", // as printed');
  });

  test('is renamed in paths of other collections and in shown_as; a role, an operator and a value of its name stay', () => {
    const library = `{
  "collections": {
    "books": {
      "fields": { "state": "text", "member": "text" },
      "search": ["member"],
      "shown_as": "member",
      "first": { "state": "", "member": "member" },
      "access": { "member": { "read": { "where": { "not": { "member": "$caller.member" } } } } }
    },
    "loans": {
      "fields": { "book": { "type": "reference", "to": "books" }, "member": "text" },
      "access": { "member": { "create": { "set": { "member": "member" }, "check": { "book.member": { "eq": "member" } } } } }
    }
  }
}
`;
    expect(renameField(library, { collection: 'books', field: 'member' }, 'reader', undefined)).toBe(
      library
        .replace('"member": "text" }', '"reader": "text" }')
        .replace('["member"]', '["reader"]')
        .replace('"shown_as": "member"', '"shown_as": "reader"')
        .replace('"", "member"', '"", "reader"')
        .replace('"not": { "member"', '"not": { "reader"')
        .replace('book.member', 'book.reader'),
    );
  });

  test('has the values of a name that is served', () => {
    const was = { name: 'label', type: 'text', options: new Map([['was', '"title"']]) };
    expect(originOf(was, ['title'])).toBe('title');
    expect(originOf(was, ['title', 'label'])).toBe('label');
    expect(originOf(was, ['name'])).toBeUndefined();
  });

  test('is removed', () => {
    expect(collectionsIn(removeField(file, title))?.[0]?.fields.map(({ name }) => name)).toEqual(['price', 'author']);
  });
});

describe('a collection', () => {
  const books = {
    name: 'books',
    singular: 'book',
    fields: [
      { name: 'title', type: 'text', options: new Map(), comment: '3 texts.' },
      { name: 'price', type: 'decimal', options: new Map([['scale', '2']]) },
    ],
  };
  test.each(['', '{}\n', '{\n  "collections": {}\n}\n'])('is added to %j', (text) => {
    const added = addCollection(text, books);
    expect(added).toContain(`"books": {
      "singular": "book",
      "fields": {
        // 3 texts.
        "title": "text",
        "price": { "type": "decimal", "scale": 2 }
      }
    }`);
    expect(collectionsIn(added)?.[0]?.members).toEqual(new Map([['singular', '"book"']]));
  });

  test('is added with the indentation of the file', () => {
    const tabs = '{\n\t"collections": {\n\t\t"a": {\n\t\t\t"fields": { "x": "text" }\n\t\t}\n\t}\n}\n';
    expect(addCollection(tabs, books)).toContain(
      '\n\t\t},\n\t\t"books": {\n\t\t\t"singular": "book",\n\t\t\t"fields": {',
    );
  });

  test('is renamed, and references follow', () => {
    const renamed = renameCollection(file, 'authors', 'writers', 'authors');
    expect(lineOf(renamed, 'author')).toBe('"author": { "type": "reference", "to": "writers" }');
    expect(lineOf(renamed, 'writers')).toBe('"writers": { "fields": { "name": "text" }, "was": "authors" }');
  });

  test('gets a title in front, an index behind, and is removed', () => {
    expect(lineOf(setCollectionMember(file, 'authors', 'title', '"A"'), 'authors')).toBe(
      '"authors": { "title": "A", "fields": { "name": "text" } }',
    );
    expect(lineOf(setCollectionMember(file, 'authors', 'indexes', '["name"]'), 'authors')).toBe(
      '"authors": { "fields": { "name": "text" }, "indexes": ["name"] }',
    );
    expect(setCollectionMember(file, 'authors', 'indexes', undefined)).toBe(file);
    expect(collectionsIn(removeCollection(file, 'books'))?.map(({ name }) => name)).toEqual(['authors']);
  });
});

test('a collection that is left out is none, and a file that is not JSON has none', () => {
  expect(collectionsIn('{ "collections": { "items": false } }')).toEqual([]);
  expect(collectionsIn('{ "collections": ')).toBeUndefined();
});
