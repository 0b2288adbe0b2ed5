import { expect, test } from 'bun:test';
import type { Shown } from './batch.ts';
import { Noticed } from './noticed.ts';

const change = (seq: number): Shown => [seq, `2026-01-01T00:00:0${seq}.000Z`];

test('what must be there is the last change that was shown, and one that two looks have found', () => {
  const noticed = new Noticed(() => {});
  expect(noticed.shown).toEqual([]);
  noticed.show(change(3));
  noticed.show(change(2));
  expect(noticed.shown).toEqual([change(3)]);
  noticed.confirm(change(3));
  noticed.acknowledged({ last: change(5), epoch: null });
  expect(noticed.shown).toEqual([change(5)]);
  noticed.confirm(change(5));
  expect(noticed.shown).toEqual([change(3), change(5)]);
  noticed.confirm(change(5));
  expect(noticed.shown).toEqual([change(5)]);
});

test('a new epoch is told once, and what was lost before it is not looked for again', () => {
  const told: number[][] = [];
  const noticed = new Noticed((...numbers) => told.push(numbers));
  noticed.confirm(change(4));
  noticed.confirm(change(6));
  // A batch that changed nothing: the last change is one of before.
  noticed.acknowledged({ last: change(2), epoch: 1000 });
  expect(told).toEqual([[6, 1000]]);
  expect(noticed.shown).toEqual([change(2)]);
});
