import { expect, test } from 'bun:test';
import { Replica, textOf } from './replica.ts';

const loan = (id: number, version = 1) => ({ id, version, moment: null });
const change = (match: string, id: number, version = 1) =>
  JSON.stringify({ seq: 9, type: 'loan.updated', match, record: loan(id, version) });

test('changes that fit', () => {
  const replica = new Replica([loan(3), loan(1)]);
  for (const [match, id, version] of [
    ['entered', 2, 1],
    ['stayed', 1, 2],
    ['left', 3, 2],
    ['entered', 3, 3],
  ] as const)
    replica.apply(change(match, id, version));
  expect(replica.text).toBe(textOf([loan(1, 2), loan(2), loan(3, 3)]));
  expect(replica.complaint).toBeUndefined();
  replica.apply(JSON.stringify({ seq: 10, match: 'entered', record: { id: 9, version: 1, moment: 4 } }));
  expect(replica.moment).toBe(4);
});

test.each([
  ['entered', 1, 'was in the list'],
  ['stayed', 2, 'was not in it'],
  ['left', 2, 'was not in it'],
])('%s of loan %d does not fit', (match, id, detail) => {
  const replica = new Replica([loan(1)]);
  replica.apply(change(match, id));
  expect(replica.complaint).toBe(`match: change 9 is ${match}, and loan ${id} ${detail}`);
});
