import { expect, test } from 'bun:test';
import { ChangedList } from './changed-list.ts';
import { Moments } from './moments.ts';
import type { Planned } from './plans.ts';
import { SentWrites } from './sent-writes.ts';

const planned = (record: string, position?: number): Planned => ({
  method: position === undefined ? 'POST' : record === '' ? 'DELETE' : 'PATCH',
  path: '',
  status: 200,
  answer: '',
  record,
  ...(position === undefined ? {} : { position }),
});
/** The writes by number: two changes of the first record, the deletion of the second one, and two new records. */
const writes: Readonly<Record<number, Planned>> = {
  0: planned('{"id":1,"name":"b"}', 0),
  8: planned('{"id":1,"name":"c"}', 0),
  1: planned('', 1),
  2: planned('{"id":8}'),
  3: planned('{"id":9}'),
};
const [a, b, c] = ['a', 'b', 'c'].map((name) => `{"id":1,"name":"${name}"}`);
const [second, third, eighth, ninth] = [2, 3, 8, 9].map((id) => `{"id":${id}}`);

function newList() {
  const moments = Moments.forWrites(16);
  const plan = (write: number) => writes[write] ?? planned('');
  const rules = new ChangedList([`${a}`, `${second}`, `${third}`], new SentWrites(moments, plan));
  const check = (records: readonly (string | undefined)[], askedAt = 0) =>
    rules.check(Buffer.from(`[${records.join(',')}]`), askedAt);
  return { moments, check, rules };
}

test('a write that is not answered may be in a list or not', () => {
  const { moments, check } = newList();
  for (const write of [0, 1, 2]) moments.send(write);
  const now = moments.next();
  for (const list of [
    [a, second, third],
    [b, second, third],
    [a, third],
    [a, second, third, eighth],
    [b, third, eighth],
  ])
    expect(check(list, now)).toBeUndefined();
});

test('a list has every write that was answered before it was asked for', () => {
  const { moments, check } = newList();
  for (const write of [0, 1, 2]) {
    moments.send(write);
    moments.answer(write);
  }
  const now = moments.next();
  expect(check([b, third, eighth], now)).toBeUndefined();
  expect(check([a, third, eighth], now)).toStartWith('misses PATCH');
  expect(check([b, second, third, eighth], now)).toStartWith('misses DELETE');
  expect(check([b, third], now)).toStartWith('misses POST');
  // Not from a list that was asked for before.
  expect(check([a, second, third], 0)).toBeUndefined();
});

test('a list that has a write has those that were answered before it was sent', () => {
  const { moments, check } = newList();
  moments.send(0);
  moments.answer(0);
  moments.send(2);
  expect(check([a, second, third, eighth])).toStartWith('misses PATCH');
  moments.answer(2);
  moments.send(1);
  expect(check([b, third])).toStartWith('misses POST');
  moments.send(8);
  expect(check([c, second, third])).toStartWith('misses POST');
  expect(check([b, second, third])).toBeUndefined();
});

test.each([
  ['without its last bracket', () => `[${a},${second},${third}`, 'is no list of records'],
  ['with half a record', () => `[${a},${second},{"id":}]`, 'has a record that was not sent'],
  ['with a write that was not sent', () => `[${b},${second},${third}]`, 'has a record that was not sent'],
  ['with a seeded record twice', () => `[${a},${a},${second},${third}]`, `has ${a} twice or out of order`],
  ['in another order', () => `[${second},${a},${third}]`, `has ${a} twice or out of order`],
  ['without a record that nobody deleted', () => `[${a},${third}]`, `misses ${second}`],
])('a list %s is wrong', (_, list, message) => {
  expect(newList().rules.check(Buffer.from(list()), 0)).toStartWith(message);
});

test('the added records come last, once, and always in the same order', () => {
  const { moments, check } = newList();
  for (const write of [2, 3]) moments.send(write);
  expect(check([a, second, third, ninth, ninth])).toStartWith(`has ${ninth} twice or out of order`);
  expect(check([a, second, third, ninth, eighth])).toBeUndefined();
  expect(check([a, second, third, eighth])).toStartWith(`has ${eighth} twice or out of order`);
  expect(check([a, ninth, second, third])).toStartWith(`has ${second} twice or out of order`);
});
