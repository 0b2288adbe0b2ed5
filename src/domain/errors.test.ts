/** Every failure says what failed and how to fix it. */
import { expect, test } from 'bun:test';
import { Failure, type FailureCode, failures, sentence } from './errors.ts';

test.each(Object.keys(failures) as FailureCode[])('the sentence of %s is its title and its hint', (code) => {
  const { title, hint, status } = failures[code];
  expect(title).toMatch(/^[A-Z].*[^.:]$/);
  expect(hint).toMatch(/^\S.*[^.]$/);
  expect(sentence(code)).toBe(`${title}: ${hint}.`);
  expect(new Failure(code)).toMatchObject({ code, status, detail: sentence(code) });
});
