import { describe, expect, test } from 'bun:test';
import { privateLibrary, privateRules } from '../../../test/support/data/private-library.ts';
import type { Caller, Claims } from '../caller.ts';
import { compileAccess } from './compiled-access.ts';
import type { AccessDeclaration } from './declaration.ts';
import { nothing } from './rights.ts';

const [books, loans] = ['books', 'loans'].map((name) => {
  const found = privateLibrary.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
});
if (books === undefined || loans === undefined) throw new Error('no collections');
const moment = Date.parse('2026-03-04T05:06:07.890Z');
const caller = (role: string, claims: Claims = {}): Caller => ({
  id: 'a',
  name: 'a',
  scope: undefined,
  collections: undefined,
  role,
  claims,
});
const access = compileAccess(privateRules, privateLibrary);

/** A rule for loans. */
function whereOf(where: object, claims: Claims = {}) {
  const rules = compileAccess(
    {
      ...privateRules,
      collections: { ...privateRules.collections, loans: { member: { read: { where } } } },
    } as AccessDeclaration,
    privateLibrary,
  );
  return rules.viewOf(caller('member', claims), loans ?? { name: '' }, moment)?.sight;
}

describe('values of the request', () => {
  test.each([
    ['a claim', { member: '$caller.member_id' }, { member_id: 7 }, [{ field: 'member', operator: 'eq', values: [7n] }]],
    ['a path', { member: '$caller.a.b' }, { a: { b: 7 } }, [{ field: 'member', operator: 'eq', values: [7n] }]],
    [
      'a list',
      { member: { in: '$caller.ids' } },
      { ids: [7, 8] },
      [{ field: 'member', operator: 'in', values: [7n, 8n] }],
    ],
    ['today', { due_on: { lt: '$today' } }, {}, [{ field: 'due_on', operator: 'lt', values: ['2026-03-04'] }]],
    [
      'now',
      { updated_at: { lt: '$now' } },
      {},
      [{ field: 'updated_at', operator: 'lt', values: ['2026-03-04T05:06:07.890Z'] }],
    ],
  ])('%s', (_, where, claims, expected) => {
    expect(whereOf(where, claims)?.where).toEqual(expected as never);
  });

  test.each([
    ['absent', { member: '$caller.member_id' }, {}],
    ['of another type', { member: '$caller.member_id' }, { member_id: '7' }],
    ['an object, which could be read as an operator', { member: '$caller.x' }, { x: { field: 'book' } }],
    ['an integer whose digits are lost', { member: '$caller.x' }, { x: JSON.parse('9007199254740993') }],
    ['a list with such an integer', { member: { in: '$caller.x' } }, { x: [7, JSON.parse('9007199254740993')] }],
    ['a list for one value', { member: '$caller.x' }, { x: [7] }],
    ['inherited', { member: '$caller.constructor' }, {}],
    ['absent, inside not: the whole rule is false', { not: { member: '$caller.member_id' } }, {}],
    ['of another type, inside any', { any: [{ member: '$caller.x' }, { id: { gt: 0 } }] }, { x: 'a' }],
    ['of no kind that is known', { member: '$nope' }, { nope: 7 }],
    ['through a hidden field of another record', { 'book.cost': '1.00' }, {}],
  ])('%s makes the rule false', (_, where, claims) => {
    expect(whereOf(where, claims)?.where).toBe(nothing);
  });
});

test('a path has the predicate of the records that it leads to', () => {
  const [filter] = whereOf({ 'book.title': 'a' })?.where ?? [];
  const step = filter !== undefined && 'field' in filter ? filter.via?.[0] : undefined;
  expect([step?.to, step?.where]).toEqual([
    books,
    [{ not: [{ field: 'state', operator: 'eq', values: ['lost'] }] }],
  ] as never);
});

test('there is no feed where records can come and go without a change of their own', () => {
  expect(whereOf({ 'book.title': 'a' })?.noFeed).toContain('a path to another record');
  expect(whereOf({ due_on: { lt: '$today' } })?.noFeed).toContain('the time');
  expect(whereOf({ due_on: '2026-01-01' })?.noFeed).toBeUndefined();
});

test('the same view for the same values, and keys that differ for others', () => {
  const of = (id: unknown) => access.viewOf(caller('member', { member_id: id }), loans, moment);
  expect(of(7)).toBe(of(7) as never);
  expect(new Set([7, '7', 8, null].map((id) => of(id)?.sight?.key)).size).toBe(4);
});

test.each([
  ['$now', 'updated_at', moment + 1],
  ['$today', 'due_on', moment + 86_400_000],
])(
  '%s is in the condition, and not in the key, which is the same for each page of a list',
  (variable, field, later) => {
    const rule = { read: { where: { member: '$caller.member_id', [field]: { lt: variable } } } };
    const rules = compileAccess(
      { ...privateRules, collections: { loans: { member: rule } } } as AccessDeclaration,
      privateLibrary,
    );
    const at = (when: number, id = 7) => rules.viewOf(caller('member', { member_id: id }), loans, when)?.sight;
    expect(at(later)?.where).not.toEqual(at(moment)?.where as never);
    expect(at(later)?.key).toBe(at(moment)?.key ?? '');
    expect(at(moment, 8)?.key).not.toBe(at(moment)?.key ?? '');
  },
);

test('a role without a rule has no view, and a caller without a role has none', () => {
  expect(access.viewOf(caller('visitor'), loans, moment)).toBeUndefined();
  expect(access.viewOf(caller('nobody'), books, moment)).toBeUndefined();
  expect(access.bind({ ...caller('x'), role: undefined, scope: 'admin' } as unknown as Caller, moment)).toBeUndefined();
});
