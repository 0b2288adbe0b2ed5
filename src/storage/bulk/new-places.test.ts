import { expect, test } from 'bun:test';
import { NewPlaces } from './new-places.ts';

test('each record has its place, also after numbers that were used up', () => {
  const places = new NewPlaces();
  const added = [
    [7, 1],
    [8, 3],
    [12, 4],
    [13, 5],
    [20, 9],
  ] as const;
  for (const [recordId, place] of added) places.add(recordId, place);
  expect(added.map(([recordId]) => places.of(recordId))).toEqual([1, 3, 4, 5, 9]);
  expect(places.of(6)).toBeUndefined();
});
