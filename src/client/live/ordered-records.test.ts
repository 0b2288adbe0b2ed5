import { expect, test } from 'bun:test';
import { Random } from '../../../test/support/data/random.ts';
import { orderOf } from './order.ts';
import { OrderedRecords, type Stored } from './ordered-records.ts';

const byRank = orderOf(['rank'], new Map());

test('the list is in order after every change, and is one array', () => {
  const random = new Random(1);
  const records = new OrderedRecords();
  records.clear(byRank);
  const { list } = records;
  const model = new Map<number, Stored>();
  for (let version = 1; version <= 3000; version++) {
    const record = { id: 1 + random.below(300), version, rank: random.pick([null, 1, 2, 3, random.below(100)]) };
    if (random.chance(0.3)) {
      records.remove(record);
      model.delete(record.id);
    } else {
      records.put(record);
      model.set(record.id, record);
    }
    expect(list).toEqual([...model.values()].sort(byRank));
  }
  expect(records.list).toBe(list);
});

test('what is older than the record in the list is ignored', () => {
  const records = new OrderedRecords();
  records.clear(byRank);
  const newest = { id: 1, version: 5, rank: 1 };
  records.put(newest);
  records.put({ id: 1, version: 4, rank: 2 });
  records.remove({ id: 1, version: 4, rank: 2 });
  expect(records.list).toEqual([newest]);
  records.remove(newest);
  records.remove(newest);
  expect(records.list).toEqual([]);
});

test('a change compares few records, however long the list is', () => {
  const records = new OrderedRecords();
  let compared = 0;
  records.clear((one, other) => {
    compared++;
    return byRank(one, other);
  });
  const count = 2 ** 14;
  for (let id = 1; id <= count; id++) records.put({ id, version: 1, rank: id % 97 });
  compared = 0;
  for (let id = 1; id <= 100; id++) records.put({ id, version: 2, rank: id % 89 });
  expect(compared).toBeLessThanOrEqual(100 * 2 * 15);
});
