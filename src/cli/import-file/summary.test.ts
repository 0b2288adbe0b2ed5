import { expect, test } from 'bun:test';
import { Summary } from './summary.ts';

test('records in already that could not be counted are not said to be deleted', () => {
  const summary = new Summary(false);
  summary.add({ created: 2, first: 1, last: 2, earlier: { at: '2026-11-15T10:00:00.123Z' } }, 2);
  summary.add({ created: 1, first: 3, last: 3 }, 1);
  expect(summary.text()).toBe('1 record added, 2 records in already (imported at 2026-11-15T10:00:00Z).');
});
