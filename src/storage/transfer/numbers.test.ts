import { expect, test } from 'bun:test';
import { contentsOf, createdChange, itemsNamed } from '../../../test/support/data/made-database.ts';
import { highestNumber } from '../../domain/feed/feed-history.ts';
import { apiKeysTable, changesTable, idempotencyKeysTable } from './contents.ts';
import { outlineProblems, requireOutline, requireRecords, requireRows } from './numbers.ts';

const [one = { recordId: 0, version: 0, createdAt: '', updatedAt: '', row: {} }] = itemsNamed('one');
const change = createdChange(1, one);
const { outline } = contentsOf([one], { changes: [change] });

test('every number of an outline is at most the highest one', () => {
  expect(outlineProblems(outline)).toEqual([]);
  requireOutline(outline);
  const beyond = highestNumber + 1;
  const wrong = {
    ...outline,
    parts: outline.parts.map((part) => ({ ...part, last: -1 })),
    changes: { kept: 1, last: beyond },
    trimmed: 0.5,
    gaps: [[0, beyond]] as const,
  };
  expect(outlineProblems(wrong).map((line) => line.replace(/,.*/, ''))).toEqual([
    'the last id of items is -1',
    `the number of the last change is ${beyond}`,
    'the number of the last trimmed change is 0.5',
    `the end of a gap in the history is ${beyond}`,
  ]);
  expect(() => requireOutline(wrong)).toThrow(
    `Wrong numbers: the last id of items is -1, which Shelf cannot have given out (the highest is ${highestNumber}). Nothing was copied`,
  );
});

test('an id is at most the last one that was given out', () => {
  requireRecords('items', 1, [one]);
  expect(() => requireRecords('items', 1, [{ ...one, recordId: 2 }])).toThrow('an id of items is 2');
  expect(() => requireRecords('items', 1, [{ ...one, version: 1.5 }])).toThrow('the version of items 1 is 1.5');
});

test.each([
  [2, 4, true],
  [1, 4, true],
  [3, 2, true],
  [null, null, true],
  [null, 4, false],
  [2, null, false],
  [3, 1, false],
  [1, 2, false],
  [4, 2, false],
  [0, 4, false],
  [-1, 5, false],
  [2.5, 2, false],
  [3, 3.5, false],
  [3, 4, false],
  [1, 2 ** 31, false],
  [Number.MAX_SAFE_INTEGER, 2, false],
])('change 3 of 5 can be of a transaction from %p on, of %p changes: %p', (first, size, isPossible) => {
  const [firstAt, sizeAt] = ['transaction_first', 'transaction_size'].map((one) => changesTable.columns.indexOf(one));
  const row = createdChange(3, one)
    .with(firstAt ?? 0, first)
    .with(sizeAt ?? 0, size);
  const required = () => requireRows(changesTable, 5, [row]);
  if (isPossible) required();
  else
    expect(required).toThrow(
      `Wrong numbers: change 3 is of a transaction of ${size} changes from ${first} on, which is not possible.`,
    );
});

test('so are the numbers in changes and under idempotency keys', () => {
  requireRows(changesTable, 1, [change]);
  const of = (column: string, value: number) => change.with(changesTable.columns.indexOf(column), value);
  expect(() => requireRows(changesTable, 1, [of('seq', 2)])).toThrow('the number of a change is 2');
  expect(() => requireRows(changesTable, 1, [of('record_seq', -2)])).toThrow('the id in change 1 is -2');
  expect(() => requireRows(changesTable, 1, [of('version', -3)])).toThrow('the version in change 1 is -3');
  const key = ['items', 'k', 'd', 'at', -4, '{}'];
  expect(() => requireRows(idempotencyKeysTable, 1, [key])).toThrow('the id under an idempotency key is -4');
  requireRows(apiKeysTable, 1, [key]);
});

test('the state before an update is an earlier one', () => {
  const at = (column: string) => changesTable.columns.indexOf(column);
  const updated = change.with(at('type'), 'updated').with(at('version'), 2);
  requireRows(changesTable, 1, [updated.with(at('before'), '{"version":1}')]);
  expect(() => requireRows(changesTable, 1, [updated.with(at('before'), '{"version":2}')])).toThrow(
    'Wrong numbers: change 1 has no earlier state before it. Nothing was copied',
  );
  expect(() => requireRows(changesTable, 1, [change.with(at('before'), '{"version":1}')])).toThrow(
    'Wrong numbers: change 1 has a state before it, and is no update.',
  );
});
