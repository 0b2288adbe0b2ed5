import { expect, test } from 'bun:test';
import { integerOption } from './option.ts';

test('the published schema of an integer takes its digits as a text, and no other text', () => {
  const text = { type: 'string', pattern: '^-?\\d+$' };
  expect(integerOption('Least value.').schema).toMatchObject({ anyOf: [{ type: 'integer' }, text] });
});
