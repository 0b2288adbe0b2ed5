import { expect, test } from 'bun:test';
import { decodeRemembered, encodeRemembered } from './remembered.ts';

test.each([1e16, -1e21, 1e300, 2 ** 53, 0.1, -0])('a database remembers %d as a bound and as a default', (value) => {
  const field = { type: 'number', min: value, max: value, default: value };
  const now = {
    singular: 'thing',
    fields: { weight: field, weights: { type: 'list', of: { type: 'number', max: value } } },
  };
  const { things } = decodeRemembered(encodeRemembered({ things: { now, earlier: [] } }));
  const { min, max, default: preset } = things?.now.fields.weight ?? {};
  expect([min, max, preset].map(Number)).toEqual([value, value, value]);
});
