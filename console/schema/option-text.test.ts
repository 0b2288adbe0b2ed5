import { expect, test } from 'bun:test';
import { optionsOf } from './field-types.ts';
import { jsonOfTyped, typedOf, unfinished } from './option-text.ts';
import { optionWords } from './option-words.ts';

function option(type: string, name: string) {
  const found = optionsOf(type).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${type} ${name}`);
  return found;
}

test.each([
  ['text', 'max', '200', '200'],
  ['text', 'max', 'x', '"x"'],
  ['text', 'pattern', '^\\d+$', '"^\\\\d+$"'],
  ['text', 'default', '12', '"12"'],
  ['integer', 'min', '9007199254740993', '9007199254740993'],
  ['integer', 'default', '-0', '-0'],
  ['integer', 'default', '007', '"007"'],
  ['number', 'max', '1e6', '1e6'],
  ['decimal', 'min', '0.10', '"0.10"'],
  ['boolean', 'default', 'true', 'true'],
  ['date', 'default', '$today', '"$today"'],
  ['choice', 'of', 'draft\nout of print', '["draft","out of print"]'],
  ['list', 'default', '[1.50]', '[1.50]'],
  ['reference', 'on_delete', 'clear', '"clear"'],
] as const)('%s %s is typed as %j', (type, name, typed, json) => {
  expect(jsonOfTyped(option(type, name), type, typed)).toBe(json);
  expect(typedOf(option(type, name), type, json)).toBe(typed);
});

test('an empty input leaves the option out; JSON may be unfinished', () => {
  expect(jsonOfTyped(option('text', 'max'), 'text', '')).toBeUndefined();
  expect(jsonOfTyped(option('list', 'default'), 'list', '[1,')).toBe(unfinished);
  expect(jsonOfTyped(option('choice', 'of'), 'choice', 'a\n\n')).toBe('["a"]');
  expect(typedOf(option('reference', 'on_delete'), 'reference', '"restrict"')).toBe('');
});

test('options in words', () => {
  const field = (type: string, options: Readonly<Record<string, string>>) =>
    optionWords({ type, options: new Map(Object.entries(options)) });
  expect(field('text', { min: '1', max: '20', unique: 'true', pattern: '"^a"', optional: 'false' })).toBe(
    'unique, 1 to 20 characters, matches ^a',
  );
  expect(field('choice', { of: '["a","b"]', default: '"a"' })).toBe('one of a, b, default a');
  expect(field('reference', { to: '"authors"', optional: 'true' })).toBe(
    'optional, a record of authors; if it is deleted, the deletion is refused',
  );
  expect(field('list', { of: '"text"', max: '3' })).toBe('of text, at most 3 elements');
  expect(field('list', { of: '{"type":"choice","of":["a","b"]}' })).toBe('of choice (one of a, b)');
});
