import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../../test/support/data/folder.ts';
import { collection } from '../../../../domain/record/collection.ts';
import { migrate } from '../../schema/schema.ts';
import type { Write } from '../thread/write-message.ts';
import { openWriter } from '../writer.ts';
import { type CreateStep, creationsFrom } from './creations.ts';
import type { StepWrite } from './transaction-message.ts';

const books = collection('books', { singular: 'book', fields: { title: { type: 'text', unique: true, max: 50 } } });
const loans = collection('loans', { singular: 'loan', fields: { book: { type: 'reference', to: 'books' } } });

/** Counts the statements that the writer runs. */
function openCounting() {
  const db = new Database(':memory:');
  migrate(db, [books, loans], 'memory');
  const counted = { runs: 0, ofChanges: 0 };
  const prepare = db.prepare.bind(db);
  db.prepare = ((text: string) => {
    const statement = prepare(text);
    const run = statement.run.bind(statement);
    statement.run = (...values: never[]) => {
      counted.runs++;
      if (text.includes('into changes')) counted.ofChanges++;
      return run(...values);
    };
    return statement;
  }) as typeof db.prepare;
  const writer = openWriter(db, [books, loans]);
  return {
    db,
    counted,
    runsOf(write: Write): number {
      counted.runs = 0;
      counted.ofChanges = 0;
      const { outcomes } = writer.apply([write]);
      expect(outcomes[0]).toMatchObject('steps' in write ? { results: expect.anything() } : { created: 1000 });
      return counted.runs;
    },
  };
}

const by = undefined;
const create = (place: number, ...json: (string | number)[]): CreateStep => ({
  place,
  op: 'create',
  json,
  after: undefined,
});
const transaction = (steps: readonly StepWrite[]): Write => ({
  ...{ op: 'transaction', by, steps, once: undefined, permitted: undefined, returnsRecords: false },
});

test('a thousand creations in a transaction take as many statements as a bulk of them', () => {
  const { db, runsOf } = openCounting();
  const titles = (kind: string) => Array.from({ length: 1000 }, (_, n) => `{"title":"${kind} ${n}"}`);
  const text = `${titles('bulk').join('\n')}\n`;
  const path = join(temporaryFolder(), 'spool');
  writeFileSync(path, text);
  const spooled = { fd: openSync(path, 'r'), size: Buffer.byteLength(text) };
  const ofBulk = runsOf({ op: 'bulk', place: 0, by, spooled, once: undefined });
  const ofTransaction = runsOf(transaction(titles('one').map((json) => create(0, json))));
  // A savepoint, and its release.
  expect(ofTransaction).toBeLessThanOrEqual(ofBulk + 2);
  const ranges =
    'select transaction_first as first, transaction_size as size, count(*) as count from changes group by 1, 2';
  expect(db.prepare(ranges).all()).toEqual([
    { first: null, size: null, count: 1000 },
    { first: 1001, size: 1000, count: 1000 },
  ]);
});

test('the changes are in the order of the operations, also of those that are applied together', () => {
  const { db, counted, runsOf } = openCounting();
  const update: StepWrite = {
    ...{ place: 0, op: 'update', json: ['{"title":"z"}'], after: undefined },
    target: { recordId: { made: 1 }, when: undefined, where: undefined },
  };
  const two = (one: string, other: string) => [create(0, `{"title":"${one}"}`), create(0, `{"title":"${other}"}`)];
  runsOf(
    transaction([
      ...two('a', 'b'),
      create(1, '{"book":', 1, '}'),
      update,
      ...two('c', 'd'),
      create(1, '{"book":', 4, '}'),
    ]),
  );
  const changes = db.prepare(
    'select collection, type, record_seq, record, transaction_first from changes order by seq',
  );
  expect(changes.values()).toEqual([
    ['books', 'created', 1, '{"title":"a"}', 1],
    ['books', 'created', 2, '{"title":"b"}', 1],
    ['loans', 'created', 1, '{"book":2}', 1],
    ['books', 'updated', 2, '{"title":"z"}', 1],
    ['books', 'created', 3, '{"title":"c"}', 1],
    ['books', 'created', 4, '{"title":"d"}', 1],
    ['loans', 'created', 2, '{"book":3}', 1],
  ]);
  // One for each two books, one for the loan and the update between them, and one for the last loan.
  expect(counted.ofChanges).toBe(4);
});

test('creations are applied together if nothing is between them', () => {
  const length = (...steps: readonly StepWrite[]) => creationsFrom(steps, 0).length;
  const some = create(0, '{}');
  expect(length(some, some, create(1, '{}'), some)).toBe(2);
  expect(length(some, { ...some, after: { sql: 'select 1', parameters: [] } })).toBe(1);
  expect(length(some, create(0, '{"other":', 0, '}'))).toBe(1);
  expect(creationsFrom([create(1, '{}'), create(0, '{"other":', 0, '}'), some], 1)).toHaveLength(2);
});
