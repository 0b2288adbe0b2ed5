import { expect, test } from 'bun:test';
import { collection } from './collection.ts';
import { ruleText } from './rule-text.ts';
import { fieldsOfRule, ruleOfKey, wholeRules } from './unique-rules.ts';

const text = { type: 'text', max: 20 };
const loans = collection('loans', {
  singular: 'loan',
  fields: { code: { ...text, unique: true }, book: text, copy: text, state: text, until: text },
  unique: [
    { fields: ['book', 'copy'], where: { state: 'lent', any: [{ until: { lt: { field: 'code' } } }] } },
    ['copy', 'book'],
    { fields: ['book'], where: { state: 'lent' } },
    { fields: ['copy'], where: { state: 'lent' } },
    { fields: ['copy'], where: { state: 'free' } },
  ],
});

test('a key names the rule with its fields, in any order, and the one among all records if there are several', () => {
  expect(ruleOfKey(loans, ['code'])).toEqual({ fields: ['code'] });
  expect(ruleOfKey(loans, ['book', 'copy'])).toEqual({ fields: ['copy', 'book'] });
  expect(ruleOfKey(loans, ['book'])).toMatchObject({ fields: ['book'], condition: '{"state":"lent"}' });
});

test('a key that names no rule, or several, is refused', () => {
  expect(ruleOfKey(loans, ['state'])).toEqual({
    refused: 'must have the fields of one unique rule of loans: code; book and copy; copy and book; book; copy',
  });
  expect(ruleOfKey(loans, [])).toHaveProperty('refused');
  expect(ruleOfKey(loans, ['book', 'copy', 'code'])).toHaveProperty('refused');
  expect(ruleOfKey(loans, ['copy'])).toEqual({
    refused: 'can mean several rules of loans, which differ in "where" alone',
  });
  expect(ruleOfKey({ name: 'books', unique: [] }, ['code'])).toEqual({
    refused: 'cannot be: books has no unique rule',
  });
});

test('all fields of a rule decide, also those of its condition', () => {
  const [, first] = loans.unique;
  expect(first && [...fieldsOfRule(first)]).toEqual(['book', 'copy', 'state', 'until', 'code']);
  expect(wholeRules(loans.unique)).toEqual([['code'], ['copy', 'book']]);
});

test('a rule in words', () => {
  expect(ruleText(['a'], undefined)).toBe('a must be unique');
  expect(ruleText(['a', 'b', 'c'], '{"d":1}')).toBe('a, b and c must be unique together where {"d":1}');
  expect(ruleText(['a'], 'x'.repeat(201))).toBe(`a must be unique where ${'x'.repeat(200)}...`);
});
