import { expect, test } from 'bun:test';
import { failures } from '../../../src/domain/errors.ts';
import { failureWords } from './failure-words.ts';

test('every failure of the server has words', () => {
  expect(Object.keys(failureWords).sort()).toEqual(Object.keys(failures).sort());
});
