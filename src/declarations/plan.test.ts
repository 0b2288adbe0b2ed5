import { describe, expect, test } from 'bun:test';
import type { CollectionDeclaration, Declarations, FieldDeclaration, Plain } from '../domain/record/declaration.ts';
import { planFor, type StoredDeclaration, storedAfter } from './plan.ts';

type Fields = Readonly<Record<string, FieldDeclaration>>;
const text = { type: 'text' };
const of = (fields: Fields, more: Partial<CollectionDeclaration> = {}) => ({ singular: 'book', fields, ...more });
const known = (now: CollectionDeclaration, more: Partial<StoredDeclaration> = {}): StoredDeclaration => ({
  now,
  earlier: [],
  ...more,
});
const stepsOf = (stored: Readonly<Record<string, StoredDeclaration>>, declared: Declarations) =>
  planFor(stored, declared).flatMap(({ steps }) =>
    steps.map(({ text, risk, allow }) => `${risk}: ${text}${allow === undefined ? '' : ` (${allow})`}`),
  );

describe('a change of a collection is one step', () => {
  const slow = { type: 'text', pattern: '^(?=a)' };
  test.each<readonly [step: string, before: CollectionDeclaration, after: CollectionDeclaration]>([
    [
      'none: books: name one record volume; recorded changes keep book',
      of({ a: text }),
      of({ a: text }, { singular: 'volume' }),
    ],
    [
      'none: books.b: add the field; records get "x"',
      of({ a: text }),
      of({ a: text, b: { type: 'text', default: 'x' } }),
    ],
    [
      'none: books.b: add the field; records get null',
      of({ a: text }),
      of({ a: text, b: { ...text, optional: true } }),
    ],
    ['none: books.a: widen the bounds', of({ a: { ...text, max: 5 } }), of({ a: text })],
    ['none: books.a: allow equal values', of({ a: { ...text, unique: true } }), of({ a: text })],
    ['none: books: add the index on a', of({ a: text }), of({ a: text }, { indexes: ['a'] })],
    [
      'none: books: remove the index on a, b',
      of({ a: text, b: text }, { indexes: [['a', 'b']] }),
      of({ a: text, b: text }),
    ],
    ['check: books.b: rename the field a', of({ a: text }), of({ b: { ...text, was: 'a' } })],
    [
      'check: books.b: add a required field, which only an empty collection can get',
      of({ a: text }),
      of({ a: text, b: text }),
    ],
    ['check: books.a: narrow the bounds', of({ a: text }), of({ a: { ...text, max: 5 } })],
    ['check: books.a: make it optional', of({ a: text }), of({ a: { ...text, optional: true } })],
    ['check: books.a: require a value', of({ a: { ...text, optional: true } }), of({ a: text })],
    ['check: books.a: make it unique', of({ a: text }), of({ a: { ...text, unique: true } })],
    [
      'check: books: make a and b unique together',
      of({ a: text, b: text }),
      of({ a: text, b: text }, { unique: [['a', 'b']] }),
    ],
    [
      'check: books: make a unique where {"b":{"is":"null"}}',
      of({ a: text, b: { ...text, optional: true } }),
      of({ a: text, b: { ...text, optional: true } }, { unique: [{ fields: ['a'], where: { b: { is: 'null' } } }] }),
    ],
    [
      'none: books: allow equal values of a, b and c',
      of({ a: text, b: text, c: text }, { unique: [['a', 'b', 'c']] }),
      of({ a: text, b: text, c: text }),
    ],
    ['check: books: add external_id; records get their id', of({ a: text }), of({ a: text }, { contract: true })],
    [
      'loss: books: remove external_id, with its values (drop:books.external_id)',
      of({ a: text }, { contract: true }),
      of({ a: text }),
    ],
    ['loss: books.a: convert text to integer (type:books.a)', of({ a: text }), of({ a: { type: 'integer' } })],
    [
      'loss: books.a: convert decimal (scale 2) to decimal (scale 3) (type:books.a)',
      of({ a: { type: 'decimal', scale: 2 } }),
      of({ a: { type: 'decimal', scale: 3 } }),
    ],
    ['loss: books.b: remove the field, with its values (drop:books.b)', of({ a: text, b: text }), of({ a: text })],
  ])('%s', (step, before, after) => {
    expect(stepsOf({ books: known(before) }, { books: after })).toEqual([step]);
    expect(stepsOf({ books: known(after) }, { books: after })).toEqual([]);
  });

  test('a field that is unique by itself is the same rule, however it is spelled', () => {
    const [one, other] = [of({ a: { ...text, unique: true } }), of({ a: text }, { unique: [['a']] })];
    expect(stepsOf({ books: known(one) }, { books: other })).toEqual([]);
    expect(stepsOf({ books: known(other) }, { books: one })).toEqual([]);
    const stored = { books: known(one) };
    expect(storedAfter(stored, planFor(stored, { books: other })).books).toEqual(known(other));
  });

  test('a rule keeps its fields when they are renamed, also in its condition', () => {
    const optional = { ...text, optional: true };
    const [now, before] = [{ any: 'd' }, { any: 'c' }].map(({ any: c }) => ({
      all: [{ [c]: { is: 'null' } }],
      any: [{ b: 'x' }, { not: { [c]: { ne: { field: c } } } }],
    }));
    const rules = (where: object, first: string) => ({ unique: [{ fields: [first, 'b'], where: where as Plain }] });
    const fields = { a: text, b: text, c: optional };
    const renamed = { e: { ...text, was: 'a' }, b: text, d: { ...optional, was: 'c' } };
    expect(
      stepsOf({ books: known(of(fields, rules(before ?? {}, 'a'))) }, { books: of(renamed, rules(now ?? {}, 'e')) }),
    ).toEqual(['check: books.e: rename the field a', 'check: books.d: rename the field c']);
  });

  test('a rule goes with a field, and a rule on a field that is null in every record is free', () => {
    const optional = { ...text, optional: true };
    expect(
      stepsOf({ books: known(of({ a: text, b: text }, { unique: [['a', 'b']] })) }, { books: of({ a: text }) }),
    ).toEqual(['loss: books.b: remove the field, with its values (drop:books.b)']);
    expect(
      stepsOf({ books: known(of({ a: text })) }, { books: of({ a: text, b: { ...optional, unique: true } }) }),
    ).toEqual(['none: books.b: add the field; records get null']);
    expect(
      stepsOf({ books: known(of({ a: text })) }, { books: of({ a: text, b: optional }, { unique: [['a', 'b']] }) }),
    ).toEqual(['none: books.b: add the field; records get null', 'none: books: keep a and b unique together']);
    const preset = { ...text, default: 'x' };
    expect(
      stepsOf({ books: known(of({ a: text })) }, { books: of({ a: text, b: preset }, { unique: [['a', 'b']] }) }),
    ).toEqual(['none: books.b: add the field; records get "x"', 'check: books: make a and b unique together']);
  });

  test('a file from before a rule was removed adds it again, and one from before it was added does not fit', () => {
    const [free, bound] = [of({ a: text, b: text }), of({ a: text, b: text }, { unique: [['a', 'b']] })];
    const removed = { books: known(bound) };
    const after = storedAfter(removed, planFor(removed, { books: free }));
    expect(stepsOf(after, { books: bound })).toEqual(['check: books: make a and b unique together']);
    const added = { books: known(free) };
    expect(storedAfter(added, planFor(added, { books: bound })).books?.earlier).toEqual([]);
  });

  const refused =
    'refused: books.a: the pattern has a look-around, (?=...), which can take very long; write it otherwise';
  test('a pattern that can take very long is refused, unless the database has it', () => {
    expect(stepsOf({ books: known(of({ a: text })) }, { books: of({ a: slow }) })).toEqual([
      'check: books.a: narrow the bounds',
      refused,
    ]);
    expect(stepsOf({}, { books: of({ a: slow }) })).toEqual(['none: books: create the collection', refused]);
    const titled = of({ a: { ...slow, title: 'A' } });
    expect(stepsOf({ books: known(of({ a: slow })) }, { books: titled })).toEqual([]);
  });

  test('texts, defaults, on_delete and the order of fields are none', () => {
    const before = of({ a: text, b: { type: 'reference', to: 'books' } });
    const after = of(
      { b: { type: 'reference', to: 'books', on_delete: 'cascade' }, a: { ...text, title: 'A', default: '' } },
      { title: 'Books' },
    );
    expect(stepsOf({ books: known(before) }, { books: after })).toEqual([]);
  });
});

describe('names of collections', () => {
  const books = of({ a: text });
  const renamed = { volumes: { ...books, was: 'books' } };

  test('a new one is created, and one with `was` is renamed once', () => {
    expect(stepsOf({}, { books })).toEqual(['none: books: create the collection']);
    expect(stepsOf({}, renamed)).toEqual(['none: volumes: create the collection']);
    const stored = { books: known(books) };
    const changes = planFor(stored, renamed);
    expect(changes.flatMap(({ steps }) => steps)).toEqual([
      { text: 'volumes: rename the collection books', risk: 'check' },
    ]);
    const after = storedAfter(stored, changes);
    expect(after).toEqual({ volumes: { now: renamed.volumes, earlier: [], formerly: ['books'] } });
    expect(stepsOf(after, renamed)).toEqual([]);
    expect(storedAfter(after, planFor(after, renamed))).toBe(after);
  });

  test.each<readonly [step: string, stored: Readonly<Record<string, StoredDeclaration>>, declared: Declarations]>([
    [
      'refused: books: is called volumes now; use the newer file, or declare volumes too',
      { volumes: known(books, { formerly: ['books'] }) },
      { books },
    ],
    [
      'refused: volumes: was books, and books is declared, too; rename in one step, and declare books in the next',
      { books: known(books) },
      { ...renamed, books },
    ],
    [
      'refused: volumes: was books, but the database has a volumes that is another one; choose another name',
      { books: known(books), volumes: known(books) },
      renamed,
    ],
  ])('%s', (step, stored, declared) => {
    expect(stepsOf(stored, declared)).toEqual([step]);
  });

  test('references follow a renamed collection', () => {
    const notes = (to: string) => of({ book: { type: 'reference', to } }, { singular: 'note' });
    const stored = { books: known(books), notes: known(notes('books')) };
    const declared = { ...renamed, notes: notes('volumes') };
    expect(stepsOf(stored, declared)).toEqual(['check: volumes: rename the collection books']);
    expect(storedAfter(stored, planFor(stored, declared))).toMatchObject({
      notes: { now: declared.notes },
    });
  });
});

test('an earlier file fits as long as only steps without risk were made since', () => {
  const [first, second] = [of({ a: text }), of({ a: text, b: { ...text, optional: true } })];
  const third = of({ ...second.fields, c: { ...text, optional: true } }, { title: 'Books' });
  const after = (stored: Readonly<Record<string, StoredDeclaration>>, books: CollectionDeclaration) =>
    storedAfter(stored, planFor(stored, { books }));
  const stored = after(after(after({}, first), second), third);
  expect(stored).toEqual({ books: { now: third, earlier: [first, second] } });
  for (const earlier of [first, second]) {
    const changes = planFor(stored, { books: earlier });
    expect(changes).toMatchObject([{ steps: [], isEarlier: true }]);
    expect(storedAfter(stored, changes)).toBe(stored);
  }
  const narrowed = of({ ...third.fields, a: { ...text, max: 5 } });
  expect(after(stored, narrowed)).toEqual({ books: { now: narrowed, earlier: [] } });
});
