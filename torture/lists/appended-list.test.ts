import { expect, test } from 'bun:test';
import { AppendedList } from './appended-list.ts';
import { Moments } from './moments.ts';
import { plans } from './plans.ts';
import { SentWrites } from './sent-writes.ts';

const added = (write: number) => plans.appends(write).record;

/** Two seeded records, and the writes 0 to 2 sent in this order; the first is answered before the last is sent. */
function newList() {
  const moments = Moments.forWrites(8);
  const rules = new AppendedList(['{"id":1}', '{"id":2}'], new SentWrites(moments, plans.appends));
  moments.send(0);
  moments.send(1);
  moments.answer(0);
  moments.send(2);
  const check = (records: readonly string[], askedAt = 0) =>
    rules.check(Buffer.from(`[${['{"id":1}', '{"id":2}', ...records].join(',')}]`), askedAt);
  return { moments, check, rules };
}

test('a list is the beginning of a longer one, before it or after it', () => {
  const { check, moments } = newList();
  expect(check([])).toBeUndefined();
  expect(check([added(1), added(0), added(2)])).toBeUndefined();
  expect(check([added(1)])).toBeUndefined();
  moments.answer(2);
  expect(check([added(1), added(0), added(2)], moments.next())).toBeUndefined();
});

test.each([
  ['without its last bracket', '[{"id":1},{"id":2}', 'does not end with ]'],
  ['with another seeded record', '[{"id":1},{"id":3}]', 'differs from an earlier list at byte 16'],
  ['without a seeded record', '[{"id":1}]', 'ends inside a record'],
  ['with half a record', '[{"id":1},{"id":2},{"id":3]', 'does not end with records'],
  ['with bytes between records', `[{"id":1},{"id":2} ,${added(0)}]`, 'does not end with records'],
  ['with a write that was not sent', `[{"id":1},{"id":2},${added(3)}]`, 'has a record that was not sent'],
  ['with a record twice', `[{"id":1},{"id":2},${added(0)},${added(0)}]`, 'has a record twice'],
])('a list %s is wrong', (_, list, message) => {
  expect(newList().rules.check(Buffer.from(list), 0)).toStartWith(message);
});

test('no list has the records of another in another order', () => {
  const { check } = newList();
  expect(check([added(0), added(1)])).toBeUndefined();
  expect(check([added(1), added(0)])).toStartWith('differs from an earlier list');
  expect(check([added(0), added(1), added(1)])).toStartWith('has a record that was not sent, or has it twice');
});

test('a record that was answered comes before those that were sent later', () => {
  const { check } = newList();
  expect(check([added(2), added(0)])).toInclude('after a record that was sent after its answer');
});

test('a record that was answered before the list was asked for is in it', () => {
  const { check, moments } = newList();
  expect(check([added(1)], moments.next())).toStartWith(`misses {"id":30001,`);
  const longer = newList();
  expect(longer.check([added(1), added(0)])).toBeUndefined();
  expect(longer.check([added(1)])).toBeUndefined();
  expect(longer.check([added(1)], longer.moments.next())).toStartWith(`misses {"id":30001,`);
});
