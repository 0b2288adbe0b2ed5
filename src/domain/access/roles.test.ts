import { expect, test } from 'bun:test';
import type { RoleSource } from './declaration.ts';
import { holds } from './roles.ts';

test.each<[RoleSource, object, boolean]>([
  ['anybody', {}, true],
  [{ claim: 'a' }, { a: false }, true],
  [{ claim: 'a' }, { a: null }, false],
  [{ claim: 'a' }, { b: 1 }, false],
  [{ claim: 'toString' }, {}, false],
  [{ claim: 'a', equals: 7 }, { a: 7 }, true],
  [{ claim: 'a', equals: 7 }, { a: '7' }, false],
  [{ claim: 'a', equals: 7 }, { a: [7] }, false],
  // The digits of the token were 9007199254740993.
  [{ claim: 'a', equals: 9007199254740992 }, { a: 9007199254740992 }, false],
  [{ claim: 'a', has: 9007199254740992 }, { a: [9007199254740992] }, false],
  [{ claim: 'a', has: 7 }, { a: [1, 7] }, true],
  [{ claim: 'a', has: 7 }, { a: ['7'] }, false],
  [{ claim: 'a', has: 7 }, { a: '7' }, false],
  [{ claim: 'a', has: 'x' }, { a: 'w x' }, true],
  [{ claim: 'a', has: 'x' }, { a: 'wx' }, false],
  [{ claim: 'a', has: 'x' }, { a: { x: true } }, false],
  [{ claim: 'a.b', has: 'x' }, { a: { b: ['x'] } }, true],
  [{ claim: 'a.b', has: 'x' }, { 'a.b': ['x'] }, true],
])('%j holds for %j: %p', (source, claims, expected) => {
  expect(holds(source, claims as Readonly<Record<string, unknown>>)).toBe(expected);
});
