/** A search in slices returns the same as one statement. */

import { afterAll, expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { create } from '../../../../test/support/data/writes.ts';
import type { Order, Position } from '../../../domain/input/query.ts';
import { collection } from '../../../domain/record/collection.ts';
import type { Page } from '../../../domain/store/page.ts';
import type { Condition, Filter } from '../../../domain/where/where.ts';
import { migrate } from '../schema/schema.ts';
import { connect, memoryName } from '../statements/connection.ts';
import { openWriter } from '../writer/writer.ts';
import { changesSearch, countSearch, pageSearch } from './plan.ts';
import { type Rows, type Search, searchIn } from './search.ts';

const declare = (name: string) =>
  collection(name, {
    singular: name,
    fields: { name: { type: 'text' }, price: { type: 'number' }, rank: { type: 'number' } },
    indexes: ['rank'],
    first: { name: 'first', price: 1, rank: 1 },
    contract: { operations: [], id: 'id' },
  });
const things = declare('things');
const others = declare('others');

const count = 6000;
/** The last two sort differently in UTF-16 and in UTF-8. */
const names = ['a', 'b', 'B', '', 'é', '\uffee', '\u{1f600}'];
const filename = memoryName();
const db = connect(filename);
// A statement that lacks an order returns its rows in the wrong one.
db.run('pragma reverse_unordered_selects = on');
db.transaction(() => migrate(db, [things, others], filename)).immediate();
const writer = openWriter(db, [things, others]);
for (let from = 0; from < count; from += 500) {
  const lines = Array.from({ length: 500 }, (_, index) => {
    const n = from + index;
    const row = { id: BigInt((n * 7) % 900), name: names[n % 7] ?? '', price: ((n * 13) % 400) / 4, rank: n % 3 };
    // Records of the other collection are far apart.
    return create(n % 1000 === 999 ? 1 : 0, things.encode(row));
  });
  writer.apply(lines);
}
db.run('delete from things where seq % 11 = 0 or seq between 1500 and 3800');
writer.close();
afterAll(() => db.close());

function run(search: Search): Rows & { readonly slices: number } {
  const slices = searchIn(db, search);
  for (let n = 1; ; n++) {
    const { done, value } = slices.next();
    if (done) return { ...value, slices: n };
  }
}

/** The statements of a search, and how many slices it has. */
function preparedBy(search: Search, begin = search.select) {
  const prepared = spyOn(db, 'prepare');
  const { slices } = run(search);
  const statements = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith(begin));
  prepared.mockRestore();
  return { statements, slices };
}

function plan(sql: string): string[] {
  using explained = db.prepare<{ detail: string }, []>(`explain query plan ${sql}`);
  return explained.all().map(({ detail }) => detail);
}

/** The parameter at which a statement begins to read. */
function beginning(sql: string): number | undefined {
  using explained = db.prepare<{ opcode: string; p1: number; p2: number; p3: number }, []>(`explain ${sql}`);
  const program = explained.all();
  const seek = program.find(({ opcode }) => opcode === 'SeekGT');
  return program.find(({ opcode, p2 }) => opcode === 'Variable' && p2 === seek?.p3)?.p1;
}

const fields = ['id', 'external_id', 'name', 'price', 'rank', 'version'];
const anyOf = (field: string): fc.Arbitrary<string | number | bigint> => {
  if (field === 'name') return fc.constantFrom(...names);
  if (field === 'external_id') return fc.bigInt(0n, 900n);
  return field === 'id' ? fc.nat(count) : field === 'rank' ? fc.nat(3) : fc.nat(100);
};
const filter: fc.Arbitrary<Filter> = fc.constantFrom(...fields).chain((field) =>
  fc.record({
    field: fc.constant(field),
    operator: fc.constantFrom(
      'eq',
      'ne',
      'gt',
      'gte',
      'lt',
      'lte',
      'in',
      ...(field === 'name' ? ['contains' as const] : []),
    ),
    values: fc.array(anyOf(field), { minLength: 1, maxLength: 1 }),
  }),
);
/** Comparisons with another field, and any and not of few levels. */
const condition = (levels: number): fc.Arbitrary<Condition> => {
  const other = fc.record({
    field: fc.constant('price'),
    operator: fc.constantFrom('eq', 'ne', 'lt'),
    values: fc.constant([]),
    other: fc.constantFrom('rank', 'price'),
  });
  if (levels === 0) return fc.oneof(filter, other);
  const inner = fc.array(condition(levels - 1), { maxLength: 2 });
  return fc.oneof(
    { arbitrary: filter, weight: 3 },
    other,
    fc.record({ not: inner }),
    fc.record({ any: fc.array(inner, { maxLength: 3 }) }),
  );
};
const sort: fc.Arbitrary<Order[]> = fc.uniqueArray(
  fc.record({ field: fc.constantFrom(...fields), descending: fc.boolean() }),
  { maxLength: 2, selector: ({ field }) => field },
);
const position = (order: readonly Order[]): fc.Arbitrary<Position | undefined> =>
  fc.option(fc.record({ values: fc.tuple(...order.map(({ field }) => anyOf(field))), recordId: fc.nat(count) }), {
    nil: undefined,
  });

test('a page and a count equal those of one statement, for any query', () => {
  let sliced = 0;
  const asked = sort.chain((order) =>
    fc.record({
      where: fc.array(condition(2), { maxLength: 3 }),
      sort: fc.constant(order),
      after: position(order),
      limit: fc.constantFrom(1, 10, 1000),
      bytes: fc.constantFrom(50, 5000, 1_000_000),
    }),
  );
  fc.assert(
    fc.property(asked, ({ bytes, ...page }) => {
      for (const search of [pageSearch(things, page, bytes), countSearch(things, page.where)]) {
        const { slices, ...found } = run(search);
        if (slices > 1) sliced++;
        expect({ ...found, slices: 1 }).toEqual(run({ ...search, walk: undefined }));
      }
    }),
    { numRuns: 1500 },
  );
  expect(sliced).toBeGreaterThan(500);
});

test('a search stops when it has enough rows, and one that sorts reads all of them', () => {
  const page: Page = { where: [], sort: [], after: undefined, limit: 10 };
  const rare: Filter = { field: 'name', operator: 'contains', values: ['B'] };
  const slices = (asked: Partial<Page>) => run(pageSearch(things, { ...page, ...asked }, 1_000_000)).slices;
  expect(slices({})).toBe(1);
  expect(slices({ where: [rare] })).toBe(1);
  expect(slices({ where: [rare], sort: [{ field: 'rank', descending: false }] })).toBe(1);
  expect(slices({ where: [rare], sort: [{ field: 'price', descending: false }] })).toBeGreaterThan(1);
  expect(slices({ where: [{ field: 'external_id', operator: 'eq', values: [7n] }, rare] })).toBe(1);
  const few: Filter = { field: 'external_id', operator: 'in', values: [7n, 14n] };
  expect(slices({ where: [few], sort: [{ field: 'price', descending: false }] })).toBe(1);
});

test('any of indexed values reads only their records, each once', () => {
  const isOne: Filter = { field: 'external_id', operator: 'eq', values: [7n] };
  const isFew: Filter = { field: 'external_id', operator: 'in', values: [7n, 14n, 21n] };
  const byId: Filter = { field: 'id', operator: 'in', values: [2, 9] };
  const named: Filter = { field: 'name', operator: 'contains', values: ['B'] };
  const page = (where: Page['where'], sort: readonly Order[] = []) =>
    pageSearch(things, { where, sort, after: undefined, limit: 100 }, 1_000_000);
  const by = (field: string, descending = false): Order[] => [{ field, descending }];
  for (const sort of [[], by('id', true), by('price'), by('rank')]) {
    const search = page([{ any: [[isOne], [isFew, named], [byId]] }], sort);
    expect(search.walk).toMatchObject({ keys: ['seq'], alternatives: { length: 6 } });
    const { slices, ...found } = run(search);
    expect(slices).toBe(1);
    expect(found.rows.length).toBeGreaterThan(3);
    expect({ ...found, slices }).toEqual(run({ ...search, walk: undefined }));
  }
  expect(page([{ any: [[isOne], [named]] }]).walk?.alternatives).toBeUndefined();
  expect(page([{ any: [[isOne], []] }]).walk?.alternatives).toBeUndefined();
  // One value finds fewer records than several.
  expect(page([isOne, { any: [[isFew], [byId]] }, named]).walk?.alternatives).toBeUndefined();
});

test('the largest page in the order of numbers is one statement, because it skips no rows', () => {
  for (const descending of [false, true]) {
    const page: Page = { where: [], sort: [{ field: 'id', descending }], after: undefined, limit: 1000 };
    const { rows, slices } = run(pageSearch(things, page, 1_000_000));
    expect({ rows: rows.length, slices }).toEqual({ rows: 1001, slices: 1 });
  }
});

test('a slice in the order of an indexed field reads a part of that index, also with ids in reverse', () => {
  const page: Page = {
    where: [{ field: 'id', operator: 'gt', values: [5] }],
    sort: [
      { field: 'rank', descending: false },
      { field: 'id', descending: true },
    ],
    after: undefined,
    limit: 10,
  };
  const { statements, slices } = preparedBy(pageSearch(things, page, 1_000_000));
  expect(slices).toBeGreaterThan(1);
  const plans = statements.map((sql) => plan(sql).join('\n'));
  // Slices by number would each read and sort the whole table.
  for (const lines of plans) expect(lines).toContain('USING INDEX things:rank (rank');
  // Many rows have the same value: a slice begins after the rows of the one before, and not at the first of them.
  expect(plans.filter((lines) => lines.includes('(rank=? AND seq>?')).length).toBeGreaterThan(slices / 2);
});

test('a slice begins after the one before, also where the search has a beginning of its own', () => {
  const from: Filter = { field: 'id', operator: 'gt', values: [5] };
  const missing: Filter = { field: 'name', operator: 'contains', values: ['missing'] };
  const page: Page = { where: [from, missing], sort: [], after: undefined, limit: 10 };
  for (const search of [pageSearch(things, page, 1_000_000), changesSearch(['others'], true, 5, 3, 1_000_000)]) {
    const { statements, slices } = preparedBy(search);
    expect(slices).toBeGreaterThan(1);
    // The beginning of the search is its first parameter, and that of the slice is one of the last.
    const least = search.parameters.length;
    for (const sql of statements.slice(1)) expect(beginning(sql)).toBeGreaterThan(least);
    const ahead = preparedBy(search, 'select seq from').statements;
    for (const sql of ahead.slice(1)) expect(beginning(sql)).toBeGreaterThan(1);
  }
});

test('if rows are ordered only by the first sort field, reading stops when no later row can sort earlier', () => {
  for (const descending of [false, true]) {
    const page: Page = {
      where: [],
      sort: [
        { field: 'external_id', descending },
        { field: 'price', descending: false },
      ],
      after: undefined,
      limit: 10,
    };
    expect(run(pageSearch(things, page, 1_000_000)).slices).toBe(1);
  }
});

test('rows with the same indexed value are in the order of numbers, so a search stops at the first page', () => {
  const zero: Filter = { field: 'rank', operator: 'eq', values: [0] };
  const slices = (where: readonly Filter[]) =>
    run(pageSearch(things, { where, sort: [], after: undefined, limit: 10 }, 1_000_000)).slices;
  expect(run(countSearch(things, [zero])).rows[0]?.[0]).toBeGreaterThan(1000n);
  expect(slices([zero])).toBe(1);
  expect(slices([zero, { field: 'name', operator: 'contains', values: ['B'] }])).toBe(1);
});

test('a later page that scans many rows is read in several slices', () => {
  const page: Page = {
    where: [{ field: 'name', operator: 'contains', values: ['missing'] }],
    sort: [{ field: 'rank', descending: false }],
    after: { values: [0], recordId: 5 },
    limit: 10,
  };
  const { rows, slices } = run(pageSearch(things, page, 1_000_000));
  expect(rows).toEqual([]);
  expect(slices).toBeGreaterThan(1);
});

test('a count that scans many rows is read in several slices', () => {
  expect(run(countSearch(things, [{ field: 'name', operator: 'contains', values: ['B'] }])).slices).toBeGreaterThan(1);
  expect(run(countSearch(things, [])).slices).toBe(1);
});

test('changes of one collection are found among those of others', () => {
  for (const after of [0, 2000, count]) {
    const search = changesSearch(['others'], true, after, 3, 1_000_000);
    const { slices, ...found } = run(search);
    expect(slices).toBeGreaterThan(after === 0 ? 1 : 0);
    // The history before is not read.
    if (after === count) expect(slices).toBe(1);
    expect({ ...found, slices: 1 }).toEqual(run({ ...search, walk: undefined }));
  }
});

test('changes of some collections, found in several slices, are in order', () => {
  const limit = 2000;
  const { slices, rows } = run(changesSearch(['things', 'others'], true, 0, limit, 1_000_000));
  expect(slices).toBeGreaterThan(1);
  expect(rows.map(([recordId]) => Number(recordId))).toEqual(Array.from({ length: limit }, (_, n) => n + 1));
});

test('large rows are read up to the size limit, plus one that shows that there are more', () => {
  // The last row is invalid, so SQLite fails if it is read.
  db.run('create temp table large (n integer primary key, json text)');
  for (let n = 1; n <= 4; n++)
    db.run('insert into large values (?, ?)', [n, n < 4 ? JSON.stringify('x'.repeat(98)) : '{']);
  const search: Search = {
    select: 'select n, json(json) from large',
    where: '',
    parameters: [],
    order: 'order by n',
    sort: [{ column: 'n', at: 0, descending: false }],
    limit: 10,
    bytes: 150,
    walk: undefined,
    sets: [],
  };
  const { rows, more } = run(search);
  expect({ found: rows.map(([n]) => n), more }).toEqual({ found: [1n, 2n], more: true });
  expect(() => run({ ...search, bytes: 1000 })).toThrow('malformed JSON');
  db.run('drop table large');
});
