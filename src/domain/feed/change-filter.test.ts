import { expect, test } from 'bun:test';
import { declared } from '../../../test/support/data/library.ts';
import { parseJson } from '../input/json.ts';
import type { Collection } from '../record/collection.ts';
import { readWhere } from '../where/read-where.ts';
import type { Change } from './change.ts';
import { changeFilter } from './change-filter.ts';
import { statesOf } from './change-states.ts';

const [books] = declared({
  books: {
    singular: 'book',
    contract: true,
    fields: {
      title: 'text',
      price: { type: 'decimal', scale: 2 },
      pages: { type: 'integer', optional: true },
      weight: { type: 'number', optional: true },
      in_stock: { type: 'boolean', default: true },
      tags: { type: 'list', of: 'text', default: [] },
      ratings: { type: 'list', of: 'integer', default: [] },
      meta: { type: 'json', optional: true },
      due_on: { type: 'date', optional: true },
    },
  },
}).filter(({ name }) => name === 'books') as [Collection];

const at = '2026-01-02T03:04:05.678Z';
const whole = {
  id: 7,
  title: 'a',
  price: '12.30',
  pages: 5,
  weight: 0.5,
  in_stock: true,
  tags: ['x'],
  ratings: [1],
  meta: null,
  due_on: null,
};

function change(type: Change['type'], record: object | string, before?: object | string): Change {
  const text = (json: object | string) => (typeof json === 'string' ? json : JSON.stringify(json));
  return {
    changeNumber: 1,
    type,
    at,
    by: undefined,
    collection: books,
    singular: 'book',
    record: { recordId: 3, version: 4, createdAt: at, updatedAt: '2026-02-02T03:04:05.678Z', json: text(record) },
    before: before === undefined ? undefined : text(before),
  };
}
const updated = (before: object, after: object = {}) =>
  change('updated', { ...whole, ...after }, { ...before, version: 3, updated_at: at });

function matchOf(where: string, one: Change) {
  const filter = changeFilter(
    books,
    readWhere(books, parseJson(where), () => expect.unreachable(), []),
  );
  return filter(statesOf(one));
}

test.each([
  ['a creation that matches', '{"price":{"gte":"10"}}', 'entered', change('created', whole)],
  ['a creation that does not', '{"price":{"lt":"10"}}', undefined, change('created', whole)],
  ['a deletion that matches', '{"price":{"gte":"10"}}', 'left', change('deleted', whole)],
  ['a deletion that does not', '{"price":{"lt":"10"}}', undefined, change('deleted', whole)],
  ['an update that matches from now on', '{"price":{"gte":"10"}}', 'entered', updated({ price: '9.00' })],
  ['one that matched and matches', '{"price":{"gte":"10"}}', 'stayed', updated({ price: '11.00' })],
  ['one of another field', '{"price":{"gte":"10"}}', 'stayed', updated({ title: 'b' })],
  ['one that matches no more', '{"price":{"lt":"10"}}', 'left', updated({ price: '9.00' })],
  ['one that never matched', '{"price":{"lt":"10"}}', undefined, updated({ price: '11.00' })],
  ['everything matches', '{}', 'stayed', updated({})],
  ['nothing matches', '{"id":{"in":[]}}', undefined, updated({})],
])('%s: %s is %s', (_, where, match, one) => {
  expect(matchOf(where, one)).toBe(match as never);
});

test.each([
  ['{"id":3}', 'stayed'],
  ['{"external_id":7}', 'entered'],
  ['{"external_id":{"lt":7}}', 'left'],
  ['{"version":4}', 'entered'],
  ['{"version":3}', 'left'],
  ['{"created_at":"2026-01-02T03:04:05.678Z"}', 'stayed'],
  ['{"updated_at":"2026-01-02T03:04:05.678Z"}', 'left'],
  ['{"updated_at":{"gt":{"field":"created_at"}}}', 'entered'],
  ['{"pages":{"is":"null"}}', 'left'],
  ['{"pages":{"gt":4}}', 'entered'],
  ['{"not":{"pages":5}}', 'left'],
  ['{"weight":0}', 'left'],
  ['{"in_stock":false}', 'left'],
  ['{"tags":{"has":"x"}}', 'entered'],
  ['{"tags":{"has":"\\u00e9,\\""}}', 'left'],
  ['{"ratings":{"has":9007199254740993}}', 'left'],
  ['{"meta":{"is":"set"}}', 'left'],
  ['{"due_on":{"gte":"2026-01-01"}}', 'left'],
  ['{"title":{"eq_ci":"STRA\\u1e9eE"}}', 'left'],
  ['{"any":[{"title":"a"},{"pages":{"is":"null"}}]}', 'stayed'],
])('every field is read before and after: %s is %s', (where, match) => {
  const before =
    '{"id":-9223372036854775808,"title":"stra\\u00dfe","pages":null,"weight":-0,"in_stock":false,"tags":["\\u00e9,\\""],"ratings":[9007199254740993],"meta":{"a":1e400},"due_on":"2026-11-01","version":3,"updated_at":"2026-01-02T03:04:05.678Z"}';
  expect(matchOf(where, change('updated', whole, before))).toBe(match as never);
});

const { price: _, ...withoutPrice } = whole;
test.each([
  ['an update of an earlier release', '{"price":"12.30"}', 'unknown', change('updated', whole)],
  [
    'its constants are known',
    '{"id":3,"created_at":{"gte":"2026-01-01T00:00:00Z"}}',
    'stayed',
    change('updated', whole),
  ],
  ['a filter of nothing needs no state', '{}', 'stayed', change('updated', whole)],
  ['a field that was added later', '{"price":"12.30"}', 'unknown', change('created', withoutPrice)],
  [
    'a field that was added later does not matter to others',
    '{"title":"a"}',
    'entered',
    change('created', withoutPrice),
  ],
  ['a field that is there no more', '{"title":"a"}', 'entered', change('created', { ...whole, colour: 'red' })],
  ['a value of another type', '{"price":"12.30"}', 'unknown', change('created', { ...whole, price: 12.3 })],
  ['a value before of another type', '{"price":"12.30"}', 'unknown', updated({ price: 12.3 })],
  ['a list that was a text', '{"tags":{"has":"x"}}', 'unknown', change('created', { ...whole, tags: 'x' })],
  ['another scale', '{"price":"12.30"}', 'entered', change('created', { ...whole, price: '12.3' })],
])('%s: %s is %s', (_, where, match, one) => {
  expect(matchOf(where, one)).toBe(match as never);
});

test('a filter takes the forms of texts and lists from the states, which many filters share', () => {
  const states = statesOf(updated({ pages: 4 }, { title: 'Straße nach Ulm', tags: ['x', 'y'] }));
  const taken: string[] = [];
  const forms: typeof states.forms = {
    ...states.forms,
    folded(text) {
      taken.push(`folded ${text}`);
      return states.forms.folded(text);
    },
    elements(list, read) {
      taken.push(`elements ${list}`);
      return states.forms.elements(list, read);
    },
  };
  const where = '{"any":[{"title":{"contains_ci":"ROM"}},{"title":{"eq_ci":"a"}},{"not":{"tags":{"has":"z"}}}]}';
  const filter = changeFilter(
    books,
    readWhere(books, parseJson(where), () => expect.unreachable(), []),
  );
  expect(filter({ ...states, forms })).toBe('stayed');
  const [folded, elements] = ['folded Straße nach Ulm', 'elements ["x","y"]'];
  // Before the update and after it.
  expect(taken).toEqual([folded, folded, elements, folded, folded, elements]);
});
