import { expect, test } from 'bun:test';
import type { Collection } from '../../api/declarations.ts';
import { members } from '../../api/json.ts';
import { Draft } from './draft.ts';

const books: Collection = {
  name: 'books',
  singular: 'book',
  contract: false,
  fields: {
    title: { type: 'text' },
    pages: { type: 'integer', optional: true },
    weight: { type: 'number', default: 0.5 },
    meta: { type: 'json', optional: true },
  },
};
const record = members(
  '{"id":7,"title":"Ficciones","pages":9007199254740993,"weight":-0,"meta":{"a":1.50},"version":3}',
);

test('only fields that were changed are sent', () => {
  const draft = new Draft(books, record);
  expect(draft.isDirty).toBe(false);
  expect(draft.changes).toEqual(new Map());
  draft.set('title', 'Ficciones');
  draft.set('meta', '{ "a": 1.50 }');
  expect(draft.isDirty).toBe(false);
  draft.set('pages', '9007199254740992');
  expect(draft.changes).toEqual(new Map([['pages', '9007199254740992']]));
  expect(draft.isDirty).toBe(true);
  draft.set('weight', 'x');
  expect(draft.check()).toBe(false);
  expect([...draft.problems.value.keys()]).toEqual(['weight']);
  draft.set('weight', '1e-7');
  expect(draft.problems.value.size).toBe(0);
});

test('a new record starts with its defaults, and fields that were not touched are not sent', () => {
  const draft = new Draft(books, undefined);
  expect(draft.isDirty).toBe(false);
  expect(draft.entries.value.get('weight')).toBe('0.5');
  expect(draft.changes).toEqual(new Map());
  draft.set('weight', '-0');
  expect(draft.changes).toEqual(new Map([['weight', '-0']]));
  draft.set('title', '');
  expect(draft.isDirty).toBe(true);
  expect(draft.changes.get('title')).toBe('""');
});

test('the moment as default is left to the server, unless something is entered', () => {
  const visits: Collection = {
    ...books,
    fields: {
      at: { type: 'timestamp', default: '$now' },
      on: { type: 'date', default: '$today', optional: true },
      text: { type: 'text', default: '$now' },
    },
  };
  const draft = new Draft(visits, undefined);
  expect([...draft.entries.value]).toEqual([
    ['at', undefined],
    ['on', undefined],
    ['text', '$now'],
  ]);
  expect([draft.isDirty, draft.check(), draft.changes.size]).toEqual([false, true, 0]);
  draft.set('on', '2026-11-15');
  draft.set('at', '2026-11-15T08:00:00Z');
  expect([...draft.changes.keys()]).toEqual(['at', 'on']);
  draft.set('on', '');
  draft.set('at', '');
  expect(draft.changes.size).toBe(0);
  draft.set('on', null);
  expect(draft.changes).toEqual(new Map([['on', 'null']]));

  const stored = new Draft(visits, members('{"id":1,"at":"2026-11-15T08:00:00.000Z","on":"2026-11-15","text":"x"}'));
  stored.set('on', '');
  expect(stored.changes).toEqual(new Map([['on', 'null']]));
});

test('problems of the server are beside their fields', () => {
  const draft = new Draft(books, record);
  draft.refuse([{ field: 'title', detail: 'must be a string' }], 'Invalid body');
  expect(draft.problems.value).toEqual(new Map([['title', 'must be a string']]));
  draft.refuse(
    ['is long', 'is wrong'].map((detail) => ({ field: 'title', detail })),
    'Invalid body',
  );
  expect(draft.problems.value).toEqual(new Map([['title', 'is long; is wrong']]));
  draft.refuse([{ field: 'price', detail: 'unknown' }], 'Invalid body');
  expect(draft.problems.value).toEqual(new Map([['', 'Invalid body']]));
  // All of them, also those of fields that the form does not have.
  const both = ['title', 'price'].map((field) => ({ field, detail: 'is wrong' }));
  draft.refuse([...both, { field: undefined, detail: 'is no record' }], 'Invalid body');
  expect([...draft.problems.value]).toEqual([
    ['', 'price is wrong; is no record'],
    ['title', 'is wrong'],
  ]);
});

test('what is entered stays when the record is newer', () => {
  const draft = new Draft(books, record);
  draft.set('title', 'Mine');
  draft.rebase(
    new Map([...record, ['version', '4'], ['title', '"Theirs"'], ['pages', '1']]),
    new Map([['title', '"Mine"']]),
  );
  expect(draft.base.value?.version).toBe('4');
  expect(draft.changes).toEqual(new Map([['title', '"Mine"']]));
});

test('a rule of the collection is judged with the record as it would be, beside each of its fields', () => {
  const check = [
    { where: { any: [{ pages: { is: 'null' } }, { weight: { lt: 1 } }] }, message: 'is too heavy' },
    { where: { title: { ne: 'x' } }, message: 'is no title' },
  ];
  const draft = new Draft({ ...books, check }, record);
  draft.set('weight', '1.5');
  expect(draft.check()).toBe(false);
  expect(draft.problems.value).toEqual(new Map(['pages', 'weight'].map((name) => [name, 'is too heavy'])));
  draft.set('pages', null);
  expect(draft.check()).toBe(true);
  const fresh = new Draft({ ...books, check }, undefined);
  fresh.set('title', 'x');
  expect(fresh.check()).toBe(false);
  expect(fresh.problems.value).toEqual(new Map([['title', 'is no title']]));
});
