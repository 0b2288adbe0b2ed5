import { expect, test } from 'bun:test';
import { accepts } from './accept.ts';

test.each([
  ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', true],
  ['TEXT/HTML', true],
  ['application/json, text/html;level=1;q=0.1', true],
  ['text/html;q=0, application/json', false],
  ['text/html; q=0.000', false],
  ['*/*', false],
  ['text/htmlx', false],
  ['', false],
  [null, false],
])('%p accepts a page: %p', (header, expected) => {
  expect(accepts(header, 'text/html')).toBe(expected);
});
