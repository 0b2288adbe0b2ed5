/** The rows of an answer: more of them than one portion has. */
import { expect, test } from 'bun:test';
import { declared } from '../../../test/support/data/library.ts';
import { Random } from '../../../test/support/data/random.ts';
import { answerOf, type Finish } from './answer.ts';
import { fieldsOf } from './columns.ts';
import { type Group, maxRows } from './summary.ts';

const [things] = declared({
  things: {
    singular: 'thing',
    fields: { name: { type: 'integer', optional: true }, amount: { type: 'decimal', scale: 1 } },
  },
}).filter(({ name }) => name === 'things');

const finish: Finish = {
  groups: [{ name: 'name', key: 'name' }],
  measures: [{ name: 'count' }, { name: 'amount.sum', key: 'amount', operation: 'sum' }],
  having: [],
  sort: [],
  limit: undefined,
  format: 'application/json',
};

function groups(count: number): readonly Group[] {
  const all = Array.from({ length: count }, (_, at): Group => {
    const tally = { count: 1, sum: BigInt(at % 7), min: null, max: null, distinct: 0 };
    return { values: [at === 0 ? null : BigInt(at)], count: (at * 31) % 1000, tallies: [tally] };
  });
  return new Random(1).shuffled(all);
}

function answer(count: number, more: Partial<Finish>): { text: string; portions: number } {
  if (things === undefined) throw new Error('there is no collection');
  const generator = answerOf(groups(count), { ...finish, ...more }, fieldsOf(things));
  for (let portions = 0; ; portions++) {
    const { done, value } = generator.next();
    if (done) return { text: value, portions };
  }
}

test('rows are sorted, filtered and cut as if they were in one portion', () => {
  const count = 5500;
  const expected = groups(count)
    .map(({ values: [name = null], count: records, tallies: [tally] }) => ({ name, records, sum: tally?.sum ?? 0n }))
    .filter(({ sum }) => sum >= 3n)
    .sort((one, other) => {
      if (one.sum !== other.sum) return one.sum < other.sum ? 1 : -1;
      if (one.records !== other.records) return one.records - other.records;
      if (one.name === null || other.name === null) return one.name === null ? 1 : -1;
      return Number(one.name) - Number(other.name);
    });
  const rows = expected.map(({ name, records, sum }) => `{"name":${name},"count":${records},"amount.sum":"0.${sum}"}`);
  const sort = [
    { field: 'amount.sum', descending: true },
    { field: 'count', descending: false },
  ];
  const having = [{ field: 'amount.sum', operator: 'gte', values: ['0.3'] } as const];
  const whole = answer(count, { sort, having });
  expect(whole.text).toBe(`{"data":[${rows.join()}],"groups":${rows.length}}`);
  // Other requests get a turn between the portions.
  expect(whole.portions).toBeGreaterThan(8);
  for (const limit of [1, 999, 1000, 1001, rows.length, rows.length + 1])
    expect(answer(count, { sort, having, limit }).text).toBe(
      `{"data":[${rows.slice(0, limit).join()}],"groups":${rows.length}}`,
    );
  const csv = rows.map(
    (row) =>
      `${Object.values(JSON.parse(row))
        .map((value) => value ?? '')
        .join()}\r\n`,
  );
  expect(answer(count, { sort, having, format: 'text/csv' }).text).toBe(`name,count,amount.sum\r\n${csv.join('')}`);
});

test('without a limit there may be so many rows, and with one any number of groups', () => {
  expect(answer(maxRows, {}).text).toEndWith(`],"groups":${maxRows}}`);
  expect(() => answer(maxRows + 1, {})).toThrow(`The summary has ${maxRows + 1} groups`);
  expect(answer(maxRows + 1, { limit: maxRows }).text).toEndWith(`],"groups":${maxRows + 1}}`);
  expect(answer(0, {}).text).toBe('{"data":[],"groups":0}');
});
