import { expect, test } from 'bun:test';
import type { Shown } from '../batch/batch.ts';
import { SeenChanges } from './seen-changes.ts';

const change = (changeNumber: number): Shown => [changeNumber, `2026-01-01T00:00:0${changeNumber}.000Z`];

test('a primary must have the last change that was shown, and one that two checks have found', () => {
  const noticed = new SeenChanges(() => {});
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

test('a new epoch is reported once, and changes that were lost before it are not checked again', () => {
  const epochs: number[][] = [];
  const noticed = new SeenChanges((...numbers) => epochs.push(numbers));
  noticed.confirm(change(4));
  noticed.confirm(change(6));
  // The batch changed nothing, so the last change is an older one.
  noticed.acknowledged({ last: change(2), epoch: 1000 });
  expect(epochs).toEqual([[6, 1000]]);
  expect(noticed.shown).toEqual([change(2)]);
});
