/** Transactions of several operations on the level of the store, the same on every engine. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { everything as viewOfAll } from '../../src/domain/access/view.ts';
import { Failure, type Problem } from '../../src/domain/errors.ts';
import { everyChange } from '../../src/domain/feed/selection.ts';
import { parseJson } from '../../src/domain/input/json.ts';
import type { Collection } from '../../src/domain/record/collection.ts';
import type { Step } from '../../src/domain/store/operation.ts';
import type { Store } from '../../src/domain/store/store.ts';
import type { Committed, MultiTransaction } from '../../src/domain/store/transaction.ts';
import { everybody } from '../../src/domain/store/writes.ts';
import { readWhere } from '../../src/domain/where/read-where.ts';
import type { Where } from '../../src/domain/where/where.ts';
import { openEngine } from '../../src/storage/open.ts';
import { declared } from '../support/data/library.ts';
import { engineOf, engineOptions } from '../support/servers/engine.ts';
import { emptyEngines } from '../support/servers/engines.ts';

const collections = declared({
  members: {
    singular: 'member',
    fields: {
      name: { type: 'text', max: 50, unique: true },
      loans: { type: 'integer', min: 0, max: 5, default: 0 },
      deposit: { type: 'decimal', scale: 2, default: '0.00' },
      score: { type: 'number', optional: true },
      total: { type: 'integer', optional: true },
    },
  },
  books: {
    singular: 'book',
    fields: {
      title: { type: 'text', max: 50 },
      state: { type: 'choice', of: ['available', 'lent'], default: 'available' },
      shelf: { type: 'integer', default: 0 },
    },
    indexes: ['shelf'],
  },
  loans: {
    singular: 'loan',
    fields: {
      book: { type: 'reference', to: 'books', on_delete: 'cascade' },
      member: { type: 'reference', to: 'members' },
      returned_on: { type: 'date', optional: true },
    },
  },
  notices: {
    singular: 'notice',
    fields: {
      loan: { type: 'reference', to: 'loans', on_delete: 'clear', optional: true },
      text: { type: 'text', max: 100 },
    },
  },
});

function named(name: string): Collection {
  const found = collections.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no collection ${name}`);
  return found;
}
const [members, books, loans, notices] = ['members', 'books', 'loans', 'notices'].map(named) as [
  Collection,
  Collection,
  Collection,
  Collection,
];

function where(collection: Collection, conditions: object): Where {
  const problems: Problem[] = [];
  const read = readWhere(collection, parseJson(JSON.stringify(conditions)), named, problems);
  expect(problems).toEqual([]);
  return read;
}

/** As the API encodes a record: defaults for the fields that are absent. */
function encoded(collection: Collection, record: object): string {
  return collection.record.encodeDraft(collection.record.parse(parseJson(JSON.stringify(record))));
}

const create = (collection: Collection, record: object): Step => ({
  op: 'create',
  collection,
  json: [encoded(collection, record)],
});
const member = (name: string, more: object = {}) => create(members, { name, ...more });
const book = (title: string, more: object = {}) => create(books, { title, ...more });
const set = (collection: Collection, recordId: number, json: string, more: object = {}): Step => ({
  op: 'update',
  collection,
  recordId,
  json: [json],
  ...more,
});
const versions = (...match: number[]) => ({ when: { match, noneMatch: undefined } });

describe.each(emptyEngines)('%s', (name, newUrl) => {
  let store: Store;

  beforeAll(async () => {
    store = openEngine(engineOf(await newUrl()), collections, engineOptions);
    await store.admin.ready;
  });
  afterAll(() => store.admin.close());

  const commit = (operations: readonly Step[], more: Partial<MultiTransaction> = {}): Promise<Committed> =>
    store.writes.commit(everybody, { operations, returnsRecords: false, ...more });

  async function failure(operations: readonly Step[], more: Partial<MultiTransaction> = {}): Promise<Failure> {
    const before = await everything();
    const error = await commit(operations, more).then(
      () => undefined,
      (one) => one,
    );
    expect(error).toBeInstanceOf(Failure);
    expect(await everything()).toEqual(before);
    return error;
  }

  /** The code, the index of the operation, and what else the answer has. */
  async function fault(operations: readonly Step[], more: Partial<MultiTransaction> = {}): Promise<object> {
    const { code, members: further } = await failure(operations, more);
    return { code: String(code), ...further };
  }

  async function idsOf(steps: readonly Step[]): Promise<number[]> {
    const { results } = await commit(steps);
    return results.map((result) => ('recordId' in result ? result.recordId : 0));
  }
  const idOf = async (step: Step) => (await idsOf([step]))[0] ?? 0;

  /** The JSON of a record, and its version. */
  async function stored(collection: Collection, recordId: number): Promise<[string, number] | undefined> {
    const { results } = await commit([{ op: 'check', collection, recordId, exists: true }], { returnsRecords: true });
    const [result] = results;
    return result !== undefined && 'record' in result && result.record !== undefined
      ? [result.record.json, result.version]
      : undefined;
  }
  const count = (collection: Collection) => store.reads.count(viewOfAll(collection));
  const everything = async () => ({
    counts: await Promise.all(collections.map(count)),
    last: (await store.feed.history()).last,
  });

  async function changesAfter(after: number) {
    const { found } = await store.feed.changes(everyChange, after, 1000);
    return found.map(({ change: { changeNumber, type, collection, by, record, transaction } }) => ({
      changeNumber,
      type,
      transaction,
      to: collection.name,
      by,
      recordId: record.recordId,
      json: record.json,
    }));
  }

  test('all operations are committed together, and each sees those before it', async () => {
    const { last } = await store.feed.history();
    const { results, firstChange, lastChange, isRepeated } = await commit(
      [
        member('Ada'),
        book('Dune'),
        { op: 'create', collection: loans, json: ['{"book":', 1, ',"member":', 0, ',"returned_on":null}'] },
        { op: 'create', collection: notices, json: ['{"loan":', 2, ',"text":"lent"}'] },
        { op: 'update', collection: books, recordId: { made: 1 }, json: ['{"state":"lent"}'] },
        { op: 'check', collection: books, recordId: { made: 1 }, exists: true, where: where(books, { state: 'lent' }) },
        { op: 'check', collection: loans, where: where(loans, { 'member.name': 'Ada' }), count: { eq: 1 } },
      ],
      { by: 'librarian' },
    );
    const ids = results.map((result) => ('recordId' in result ? result.recordId : undefined));
    expect(results.map((result) => ('version' in result ? result.version : result))).toEqual([
      1,
      1,
      1,
      1,
      2,
      2,
      { count: 1 },
    ]);
    expect(ids[4]).toBe(ids[1]);
    expect(isRepeated).toBe(false);
    const changes = await changesAfter(last);
    expect(changes.map(({ changeNumber }) => changeNumber)).toEqual(
      [0, 1, 2, 3, 4].map((at) => (firstChange ?? 0) + at),
    );
    expect(lastChange).toBe((firstChange ?? 0) + 4);
    for (const { transaction } of changes) expect(transaction).toEqual({ first: firstChange ?? 0, size: 5 });
    expect(new Set(changes.map(({ by }) => by))).toEqual(new Set(['librarian']));
    expect(changes[2]?.json).toBe(`{"book":${ids[1]},"member":${ids[0]},"returned_on":null}`);
    expect(changes[3]?.json).toBe(`{"loan":${ids[2]},"text":"lent"}`);
  });

  test('nothing remains of a transaction that fails, and the failure has the index of the operation', async () => {
    const id = await idOf(member('Bob'));
    const steps = [book('gone'), set(members, id, '{"loans":3}')];
    expect(await fault([...steps, set(books, 999, '{"shelf":1}')])).toEqual({ code: 'not_found', operation: 2 });
    expect(await fault([...steps, set(members, id, '{"loans":4}', versions(7))])).toEqual({
      code: 'precondition_failed',
      operation: 2,
    });
    expect(await fault([...steps, member('Bob')])).toEqual({ code: 'already_exists', operation: 2, id });
    const lost = { op: 'create', collection: loans, json: [`{"book":999,"member":${id},"returned_on":null}`] } as const;
    expect(await fault([...steps, lost, book('never')])).toEqual({ code: 'reference_missing', operation: 2 });
    expect(await stored(members, id)).toEqual([expect.stringContaining('"loans":0'), 1]);
  });

  test('a transaction that fails uses up no number of a change', async () => {
    const { lastChange } = await commit([book('before'), book('too')]);
    expect(await fault([book('gone'), set(books, 999, '{"shelf":1}')])).toEqual({ code: 'not_found', operation: 1 });
    const next = await commit([book('after'), book('as well')]);
    expect(next).toMatchObject({ firstChange: (lastChange ?? 0) + 1, lastChange: (lastChange ?? 0) + 2 });
  });

  test('the failure of a clash has the problems of the record', async () => {
    const { lastChange } = await commit([member('Carol')]);
    // A single change needs no transaction.
    expect((await changesAfter((lastChange ?? 0) - 1)).map(({ transaction }) => transaction)).toEqual([undefined]);
    const { problems } = await failure([book('x'), member('Carol')]);
    expect(problems).toMatchObject([{ field: 'name', at: ['operations', 1, 'record'] }]);
    // The record that is in the way is gone with the transaction: the operation that created it is named.
    const twins = await failure([book('y'), member('Other'), book('z'), member('Twin'), member('Twin')]);
    expect(twins).toMatchObject({ code: 'already_exists', members: { operation: 4 } });
    expect(twins.detail).toContain('the record of operation 3 has this value');
  });

  test('`where` of one record is checked after its existence and its version', async () => {
    const id = await idOf(book('where', { shelf: 3 }));
    const lent = { where: where(books, { state: 'lent', shelf: { gt: 2 } }) };
    const unmatched = { code: 'check_failed', operation: 0 };
    expect(await fault([set(books, id, '{"shelf":4}', lent)])).toEqual(unmatched);
    expect(await fault([set(books, 999, '{"shelf":4}', lent)])).toMatchObject({ code: 'not_found' });
    expect(await fault([set(books, id, '{"shelf":4}', { ...lent, ...versions(9) })])).toMatchObject({
      code: 'precondition_failed',
    });
    expect(await fault([{ op: 'delete', collection: books, recordId: id, ...lent }])).toEqual(unmatched);
    expect(await fault([{ op: 'add', collection: books, recordId: id, json: '{"shelf":1}', ...lent }])).toEqual(
      unmatched,
    );
    const available = { where: where(books, { any: [{ state: 'lent' }, { shelf: { in: [1, 3] } }] }) };
    const { results } = await commit([set(books, id, '{"shelf":4}', { ...available, ...versions(1) })]);
    expect(results).toEqual([{ recordId: id, version: 2 }]);
  });

  test('a check of one record: it exists or not, with a version, with values', async () => {
    const id = await idOf(book('check'));
    const check = (recordId: number, exists: boolean, more: object = {}): Step => ({
      op: 'check',
      collection: books,
      recordId,
      exists,
      ...more,
    });
    const unmatched = { code: 'check_failed', operation: 0 };
    const { results, firstChange, lastChange } = await commit([check(id, true, versions(1)), check(9999, false)]);
    expect(results).toEqual([
      { recordId: id, version: 1 },
      { recordId: 9999, version: null },
    ]);
    expect([firstChange, lastChange]).toEqual([null, null]);
    expect(await fault([check(id, false)])).toEqual(unmatched);
    expect(await fault([check(9999, true)])).toEqual(unmatched);
    expect(await fault([check(id, true, versions(2))])).toEqual({ code: 'precondition_failed', operation: 0 });
    expect(await fault([check(id, true, { where: where(books, { title: 'other' }) })])).toEqual(unmatched);
  });

  test('every record that matches is changed, in the order of the ids', async () => {
    const ids = await idsOf([7, 8, 7, 7].map((shelf, at) => book(`many ${9 - at}`, { shelf })));
    const { last } = await store.feed.history();
    const seven = where(books, { shelf: 7, title: { starts_with: 'many' } });
    const { results } = await commit([
      { op: 'update', collection: books, where: seven, count: { lte: 3 }, json: ['{"state":"lent"}'] },
      { op: 'add', collection: books, where: seven, json: '{"shelf":10}' },
      {
        op: 'check',
        collection: books,
        where: where(books, { shelf: { gte: 17, lt: 18 } }),
        count: { eq: 3, ne: 4, gt: 2, gte: 3, lt: 4 },
      },
      { op: 'delete', collection: books, where: where(books, { id: { in: ids } }) },
    ]);
    expect(results).toEqual([{ count: 3 }, { count: 3 }, { count: 3 }, { count: 4 }]);
    const changed = ids.filter((_, index) => index !== 1);
    const changes = await changesAfter(last);
    expect(changes.map(({ recordId }) => recordId)).toEqual([...changed, ...changed, ...ids]);
    expect(changes.map(({ type }) => type)).toEqual([...Array(6).fill('updated'), ...Array(4).fill('deleted')]);
  });

  test('the number of records that match is bounded', async () => {
    await commit([book('bounded', { shelf: 70 }), book('bounded', { shelf: 70 })]);
    const step = (count: object): Step => ({
      op: 'update',
      collection: books,
      where: where(books, { shelf: 70 }),
      count,
      json: ['{"state":"lent"}'],
    });
    for (const count of [{ lt: 2 }, { lte: 1 }, { gt: 2 }, { gte: 3 }, { eq: 1 }, { ne: 2 }, { gte: 0, lte: 1 }])
      expect(await fault([book('other'), step(count)])).toEqual({ code: 'check_failed', operation: 1, count: 2 });
    const none: Step = { op: 'check', collection: books, where: where(books, { shelf: 71 }), count: { gt: 0 } };
    expect(await fault([none])).toEqual({ code: 'check_failed', operation: 0, count: 0 });
  });

  test('sums are exact to the last digit, and out of bounds there is none', async () => {
    const big = { total: 2n ** 63n - 2n };
    const id = await idOf(member('Sum', { deposit: '92233720368547758.06' }));
    const add = (json: string): Step => ({ op: 'add', collection: members, recordId: id, json });
    await commit([set(members, id, `{"total":${big.total}}`)]);
    const { results } = await commit(
      [add('{"loans":5,"deposit":"0.01","score":0.1,"total":1}'), add('{"loans":-5,"score":0.2}')],
      {
        returnsRecords: true,
      },
    );
    expect(results.map((result) => ('record' in result ? result.record?.json : ''))).toEqual([
      '{"name":"Sum","loans":5,"deposit":"92233720368547758.07","score":0.1,"total":9223372036854775807}',
      '{"name":"Sum","loans":0,"deposit":"92233720368547758.07","score":0.30000000000000004,"total":9223372036854775807}',
    ]);
    const out = async (json: string) => {
      const { code, problems, members: extra } = await failure([book('x'), add(json)]);
      expect([code, extra]).toEqual(['out_of_bounds', { operation: 1 }]);
      return problems?.map(({ field, message }) => `${field} ${message.split(',')[0]}`);
    };
    expect(await out('{"loans":-1}')).toEqual(['loans would be -1']);
    expect(await out('{"loans":6}')).toEqual(['loans would be 6']);
    expect(await out('{"total":1}')).toEqual(['total would be 9223372036854775808']);
    expect(await out('{"total":9223372036854775807}')).toEqual(['total would be 18446744073709551614']);
    expect(await out('{"deposit":"0.01"}')).toEqual(['deposit would be 92233720368547758.08']);
    expect(await out('{"loans":1,"deposit":"92233720368547758.07"}')).toEqual([
      'deposit would be 184467440737095516.14',
    ]);
  });

  test('doubles are added and spelled as JavaScript does it', async () => {
    const id = await idOf(member('Double'));
    const add = (json: string): Step => ({ op: 'add', collection: members, recordId: id, json });
    const max = Number.MAX_VALUE;
    const pairs: readonly (readonly [number, number])[] = [
      [1e16, 1],
      [1e20, 1e20],
      [-0, -0],
      [0, -0],
      [5e-324, 5e-324],
      [5e-324, max],
      [max, 9e291],
      [-max, max],
      [2 ** 1023, 2 ** 1022],
      [1e300, 1e-300],
      [0.1, 0.7],
    ];
    const spelled = (value: number) => (Object.is(value, -0) ? '-0' : String(value));
    for (const [one, other] of pairs) {
      const { results } = await commit(
        [set(members, id, `{"score":${spelled(one)}}`), add(`{"score":${spelled(other)}}`)],
        {
          returnsRecords: true,
        },
      );
      const [, result] = results;
      expect(result !== undefined && 'record' in result && result.record?.json).toContain(
        `"score":${spelled(one + other)},`,
      );
    }
    for (const [one, other, sum] of [
      [max, max, 'Infinity'],
      [-max, -1e300, '-Infinity'],
      [2 ** 1023, 2 ** 1023, 'Infinity'],
      [max, 1e292, 'Infinity'],
    ] as const) {
      await commit([set(members, id, `{"score":${one}}`)]);
      const { problems } = await failure([add(`{"score":${other}}`)]);
      expect(problems).toMatchObject([{ field: 'score', message: `would be ${sum}, which is out of its bounds` }]);
    }
  });

  test('null counts as zero', async () => {
    const id = await idOf(member('Null'));
    await commit([{ op: 'add', collection: members, recordId: id, json: '{"score":-0,"total":-3}' }]);
    expect(await stored(members, id)).toEqual(['{"name":"Null","loans":0,"deposit":"0.00","score":0,"total":-3}', 2]);
  });

  test('an upsert updates the record that has the values, or creates one', async () => {
    const upsert = (name: string, loans: number): Step => ({
      op: 'upsert',
      collection: members,
      rule: { fields: ['name'] },
      json: [encoded(members, { name, loans })],
      sent: [`{"name":"${name}","loans":${loans}}`],
    });
    const id = await idOf(member('Eve', { deposit: '1.00' }));
    const { results } = await commit([upsert('Eve', 1), upsert('Fay', 2), upsert('Fay', 3)]);
    const fay = results[1] !== undefined && 'recordId' in results[1] ? results[1].recordId : 0;
    expect(results).toEqual([
      { recordId: id, version: 2 },
      { recordId: fay, version: 1 },
      { recordId: fay, version: 2 },
    ]);
    expect(await stored(members, id)).toEqual([
      '{"name":"Eve","loans":1,"deposit":"1.00","score":null,"total":null}',
      2,
    ]);
    expect(await stored(members, fay)).toEqual([
      '{"name":"Fay","loans":3,"deposit":"0.00","score":null,"total":null}',
      2,
    ]);
  });

  test('a deletion has its cascades, within what is permitted, and its last state', async () => {
    const [reader, dune, loan, notice] = (await idsOf([
      member('Gus'),
      book('cascade'),
      { op: 'create', collection: loans, json: ['{"book":', 1, ',"member":', 0, ',"returned_on":null}'] },
      { op: 'create', collection: notices, json: ['{"loan":', 2, ',"text":"due"}'] },
    ])) as [number, number, number, number];
    const remove = (collection: Collection, recordId: number): Step => ({ op: 'delete', collection, recordId });
    expect(await fault([book('x'), remove(members, reader)])).toEqual({
      code: 'still_referenced',
      operation: 1,
      collection: 'loans',
      count: 1,
      first_id: loan,
    });
    expect(await fault([remove(books, dune)], { permitted: ['books', 'loans'] })).toEqual({
      code: 'forbidden',
      operation: 0,
      collection: 'notices',
    });
    const { last } = await store.feed.history();
    const { results, firstChange, lastChange } = await commit([remove(books, dune), remove(members, reader)], {
      permitted: ['books', 'loans', 'notices', 'members'],
      returnsRecords: true,
    });
    expect(results).toMatchObject([
      { recordId: dune, version: 1, record: { version: 1, json: '{"title":"cascade","state":"available","shelf":0}' } },
      { recordId: reader, version: 1, record: { recordId: reader } },
    ]);
    const changes = await changesAfter(last);
    expect(changes.map(({ type, to, recordId }) => [type, to, recordId])).toEqual([
      ['updated', 'notices', notice],
      ['deleted', 'loans', loan],
      ['deleted', 'books', dune],
      ['deleted', 'members', reader],
    ]);
    expect([firstChange, lastChange]).toEqual([changes[0]?.changeNumber ?? 0, changes[3]?.changeNumber ?? 0]);
  });

  test('a record that a cascade has deleted already is not missing for an operation without an id', async () => {
    const chain = declared({
      nodes: {
        singular: 'node',
        fields: { parent: { type: 'reference', to: 'nodes', on_delete: 'cascade', optional: true } },
      },
    }).filter(({ name }) => name === 'nodes');
    const [nodes] = chain as [Collection];
    const other = openEngine(engineOf(await newUrl()), chain, engineOptions);
    await other.admin.ready;
    const node = (parent: number | null): Step => ({
      op: 'create',
      collection: nodes,
      json: parent === null ? ['{"parent":null}'] : ['{"parent":', parent, '}'],
    });
    const operations: readonly Step[] = [
      node(null),
      node(0),
      node(1),
      { op: 'delete', collection: nodes, where: [] },
      { op: 'check', collection: nodes, where: [], count: { eq: 0 } },
    ];
    const { results } = await other.writes.commit(everybody, { operations, returnsRecords: false });
    expect(results.slice(3)).toEqual([{ count: 3 }, { count: 0 }]);
    await other.admin.close();
  });

  test('a transaction is committed once per key', async () => {
    const once = { key: 'once-1', digest: 'a', former: 'b', keptMs: 60_000 };
    const operations = [book('once'), { ...set(books, 0, '{"shelf":5}'), recordId: { made: 0 } } as Step];
    const first = await commit(operations, { once, returnsRecords: true });
    const before = await everything();
    expect(await commit(operations, { once, returnsRecords: true })).toEqual({ ...first, isRepeated: true });
    expect(
      await commit(operations, { once: { ...once, digest: 'b', former: 'a' }, returnsRecords: true }),
    ).toMatchObject({
      isRepeated: true,
    });
    expect(await everything()).toEqual(before);
    expect(await fault(operations, { once: { ...once, digest: 'c', former: 'd' } })).toEqual({ code: 'key_reused' });
    // The key of a transaction that failed is free.
    const failing = { key: 'once-2', digest: 'a', former: '', keptMs: 60_000 };
    await fault([set(books, 999, '{"shelf":5}')], { once: failing });
    expect(await commit([book('twice')], { once: failing })).toMatchObject({ isRepeated: false });
  });

  test('it shares its commit with other writes, and its failure is not theirs', async () => {
    const id = await idOf(book('beside'));
    const outcomes = await Promise.allSettled([
      store.writes.commit(everybody, {
        operation: { op: 'create', collection: books, json: encoded(books, { title: 'one' }) },
      }),
      commit([set(books, id, '{"shelf":1}'), book('lost'), set(books, 999, '{"shelf":1}')]),
      commit([set(books, id, '{"shelf":2}'), book('kept')]),
      store.writes.commit(everybody, {
        operation: { op: 'update', collection: books, recordId: id, json: '{"title":"both"}' },
      }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await stored(books, id)).toEqual(['{"title":"both","state":"available","shelf":2}', 3]);
    const titles = (await changesAfter(0)).filter(({ type }) => type === 'created').map(({ json }) => json);
    expect(titles.some((json) => json.includes('"lost"'))).toBe(false);
    expect(titles.some((json) => json.includes('"kept"'))).toBe(true);
  });

  if (name === 'postgres')
    test('a search that no index answers is refused beyond a number of records, and one that an index answers is not', async () => {
      const other = openEngine(engineOf(await newUrl()), collections, engineOptions);
      await other.admin.ready;
      const bulk = await other.writes.bulk(everybody, books, undefined);
      // Shelf 0 has 11,000 books, 2 has 10,000, all others have 1,000.
      const shelfOf = (at: number) => (at < 11 ? 0 : at < 12 ? 1 : at < 22 ? 2 : at);
      for (let at = 0; at <= 100; at++)
        await bulk.add(
          Array.from({ length: 1000 }, (__, one) => encoded(books, { title: `t${at}-${one}`, shelf: shelfOf(at) })),
        );
      await bulk.commit(undefined);
      await bulk.close();
      const check = (conditions: object): Step => ({
        op: 'check',
        collection: books,
        where: where(books, conditions),
        count: { gte: 0 },
      });
      const run = (...operations: Step[]) => other.writes.commit(everybody, { operations, returnsRecords: false });
      await expect(run(check({ title: 't100-999' }))).rejects.toMatchObject({
        code: 'too_many_records',
        members: { operation: 0 },
      });
      await expect(run(book('x'), check({}))).rejects.toMatchObject({ members: { operation: 1 } });
      expect(
        (await run(check({ shelf: 100, title: 't100-999' }), check({ shelf: 50, state: 'available' }))).results,
      ).toEqual([{ count: 1 }, { count: 1000 }]);
      const move = { op: 'update', collection: books, json: ['{"state":"lent"}'] } as const;
      await expect(run({ ...move, where: where(books, { shelf: 0 }) })).rejects.toMatchObject({
        code: 'too_many_records',
        members: { operation: 0 },
      });
      const thousand = { ...move, where: where(books, { shelf: 1 }) };
      await expect(run(thousand, { ...thousand, where: where(books, { shelf: 2 }) })).rejects.toMatchObject({
        code: 'too_many_records',
        members: { operation: 1 },
      });
      await other.admin.close();
    });
});
