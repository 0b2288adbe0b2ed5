import { expect, test } from 'bun:test';
import { contentsOf, itemsNamed } from '../../../test/support/data/made-database.ts';
import { decodeDeclarations } from '../stored-declarations.ts';
import { lastNumberOf, settingsOf } from './contents.ts';

const { outline } = contentsOf(itemsNamed('one', 'two'));

test('the last number is the highest of records, changes and lost histories', () => {
  expect(lastNumberOf(outline)).toBe(2);
  expect(lastNumberOf({ ...outline, changes: { kept: 0, last: 5 } })).toBe(5);
  expect(
    lastNumberOf({
      ...outline,
      gaps: [
        [0, 7],
        [8, 9],
      ],
    }),
  ).toBe(9);
});

test('the settings have what a start reads', () => {
  const settings = new Map(settingsOf({ ...outline, trimmed: 3, gaps: [[0, 7]] }));
  expect(decodeDeclarations(settings.get('collections'))).toEqual(outline.declarations);
  settings.delete('collections');
  expect(Object.fromEntries(settings)).toEqual({ secret: 'secret', trimmed: '3', gaps: '[[0,7]]', words: '{}' });
});
