import { expect, test } from 'bun:test';
import { agrees, isSame, reaches, rowsIn, seenIn } from './position.ts';

const columns = (last: string, newest: string, at: string | null, trimmed: string, times: string | null) => [
  true,
  last,
  newest,
  at,
  trimmed,
  times,
];
const primary = seenIn(columns('7', '7', '1700', '3', null));

test('a standby has what the primary shows if it has its last change, and has trimmed as much', () => {
  expect(reaches(seenIn(columns('7', '7', '1700', '3', null)), primary)).toBe(true);
  expect(reaches(seenIn(columns('8', '8', '1800', '4', null)), primary)).toBe(true);
  expect(reaches(seenIn(columns('6', '6', '1600', '3', null)), primary)).toBe(false);
  expect(reaches(seenIn(columns('8', '8', '1800', '2', null)), primary)).toBe(false);
});

test('a change with the same number and another time is of another history, unless it is trimmed', () => {
  expect(agrees(seenIn(columns('9', '9', '1900', '3', '{"7":1700}')), primary)).toBe(true);
  expect(agrees(seenIn(columns('9', '9', '1900', '3', '{"7":1701}')), primary)).toBe(false);
  expect(agrees(seenIn(columns('9', '9', '1900', '3', null)), primary)).toBe(false);
  expect(agrees(seenIn(columns('9', '9', '1900', '7', null)), primary)).toBe(true);
});

test('a position is the same only with the same change, of the same time', () => {
  expect(isSame(seenIn(columns('7', '7', '1700', '3', '{"7":1700}')), primary)).toBe(true);
  expect(isSame(seenIn(columns('7', '7', '1701', '3', null)), primary)).toBe(false);
  expect(isSame(primary, undefined)).toBe(false);
});

test('rows are those of the statement, and a row of nulls is not the absence of one', () => {
  const position = columns('7', '7', '1700', '3', null);
  expect(rowsIn([[...position, null, null]])).toEqual([]);
  expect(rowsIn([[...position, true, null]])).toEqual([[null]]);
  expect(rowsIn([1, 2].map((n) => [...position, true, n]))).toEqual([[1], [2]]);
});
