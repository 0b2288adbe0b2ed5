import { expect, test } from 'bun:test';
import { momentText } from './moment-text.ts';

test.each([
  [0, 'now'],
  [-59, '59 seconds ago'],
  [-60, '1 minute ago'],
  [-3 * 3600 - 59, '3 hours ago'],
  [-86_400, 'yesterday'],
  [86_400 * 2, 'in 2 days'],
  [-86_400 * 40, '2026-10-07'],
])('%p seconds away', (seconds, text) => {
  const now = Date.parse('2026-11-16T12:00:00.000Z');
  expect(momentText(new Date(now + seconds * 1000).toISOString(), now)).toBe(text);
});
