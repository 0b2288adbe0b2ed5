/** Mistakes in roles and rules, each with its path. */
import { describe, expect, test } from 'bun:test';
import type { Declarations } from '../../domain/record/declaration.ts';
import { Mistakes } from '../mistakes.ts';
import { readAccess } from './read-access.ts';

const declarations: Declarations = {
  books: {
    singular: 'book',
    fields: {
      title: { type: 'text', search: true },
      state: { type: 'choice', of: ['available', 'lent'], default: 'available' },
      cost: { type: 'decimal', scale: 2 },
    },
  },
  loans: {
    singular: 'loan',
    fields: {
      book: { type: 'reference', to: 'books' },
      member: { type: 'integer' },
      due_on: { type: 'date' },
      returned_on: { type: 'date', optional: true },
      note: { type: 'json', optional: true },
    },
  },
};
const roles = { member: { from: { claim: 'member_id' } } };

function read(rule: unknown, { of }: { readonly of: unknown } = { of: roles }) {
  const mistakes = new Mistakes();
  const given = [
    { collection: 'loans', value: { member: rule }, path: 'loans' },
    { collection: 'books', value: { member: { read: { fields: ['title', 'state'] } } }, path: 'books' },
  ];
  const { access, warnings } = readAccess(of, given, declarations, mistakes);
  return { lines: mistakes.lines, access, warnings };
}

test('the library of the documentation is right', () => {
  const { lines, access, warnings } = read({
    read: { where: { member: '$caller.member_id' } },
    create: {
      fields: ['book', 'due_on'],
      set: { member: '$caller.member_id' },
      check: { 'book.state': 'available', due_on: { gte: '$today' } },
    },
    update: { where: { member: '$caller.member_id', returned_on: { is: 'null' } }, fields: ['returned_on'] },
    delete: { where: { member: { in: '$caller.member_id' }, not: { due_on: '2026-01-01' } } },
  });
  expect(lines).toEqual([]);
  expect(warnings).toEqual([]);
  expect(access?.roles).toEqual(roles as never);
});

test('without roles and rules there is no access', () => {
  expect(readAccess(undefined, [], declarations, new Mistakes())).toEqual({ access: undefined, warnings: [] });
});

test.each<[unknown, string]>([
  [null, 'roles: must be an object of roles, not null'],
  ['none', 'roles: there is none, and collections have "access"'],
  [[], 'roles: must be an object of roles, not a list'],
  [{}, 'roles: must have at least one role'],
  [{ Member: { from: 'anybody' } }, 'roles.Member: must have only lower-case letters'],
  [{ member: 'anybody' }, 'roles.member: must be an object with "from"'],
  [{ member: {} }, 'roles.member.from: must be "anybody", or a claim such as'],
  [{ member: { from: 'everybody' } }, 'roles.member.from: must be "anybody", or a claim such as'],
  [{ member: { from: 'anybody', was: 'x' } }, 'roles.member.was: there is no such option'],
  [{ member: { from: { claim: '' } } }, 'roles.member.from.claim: must be the name of a claim'],
  [{ member: { from: { claim: 'a', equals: 1, has: 1 } } }, 'roles.member.from: has "equals" and "has"'],
  [{ member: { from: { claim: 'a', has: ['x'] } } }, 'roles.member.from.has: must be a text, a number'],
  [
    { member: { from: { claim: 'a', hass: 'x' } } },
    'roles.member.from.hass: there is no such option; did you mean "has"?',
  ],
])('the roles %j', (given, line) => {
  expect(read('read', { of: given === 'none' ? undefined : given }).lines.join('\n')).toContain(line);
});

test.each<[unknown, string]>([
  ['reed', 'loans.member: must be "read", "write" or an object with read, create, update, delete, not "reed"'],
  [{}, 'loans.member: allows nothing'],
  [{ read: false }, 'loans.member: allows nothing'],
  [{ reads: true }, 'loans.member.reads: there is no such operation; did you mean "read"?'],
  [{ read: 'all' }, 'loans.member.read: must be true, false or an object, not "all"'],
  [{ read: { set: {} } }, 'loans.member.read.set: there is no such option'],
  [{ read: { fields: ['boo'] } }, 'loans.member.read.fields[0]: there is no field "boo"; did you mean "book"?'],
  [{ read: { fields: ['book', 'book'] } }, 'loans.member.read.fields[1]: is there already'],
  [{ read: { fields: 'book' } }, 'loans.member.read.fields: must be a list of fields'],
  [{ read: { where: {} } }, 'loans.member.read.where: must be an object with conditions'],
  [{ read: { where: { owner: 1 } } }, 'loans.member.read.where.owner: unknown field'],
  [{ read: { where: { member: { like: 1 } } } }, 'loans.member.read.where.member.like: is no operator of this field'],
  [{ read: { where: { member: '7' } } }, 'loans.member.read.where.member: must be'],
  [{ read: { where: { member: '$now' } } }, 'loans.member.read.where.member: cannot be compared with $now'],
  [{ read: { where: { due_on: '$now' } } }, 'loans.member.read.where.due_on: cannot be compared with $now'],
  [{ read: { where: { member: '$me' } } }, 'loans.member.read.where.member: has "$me"'],
  [{ read: { where: { note: '$caller.member_id' } } }, 'loans.member.read.where.note: must be an object of operators'],
  [{ read: { where: { 'book.titel': 'x' } } }, 'loans.member.read.where.book.titel: unknown field'],
  [{ read: { where: { member: { in: [] } } } }, 'loans.member.read.where: can never hold'],
  [{ read: { where: { all: [{ member: 1 }, { member: 2 }] } } }, 'loans.member.read.where: can never hold'],
  [
    { read: { where: { all: [{ member: { gt: 5, lt: 3 } }, { book: '$caller.member_id' }] } } },
    'loans.member.read.where: can never hold',
  ],
  [{ read: { where: { returned_on: { is: 'null', gt: '2026-01-01' } } } }, 'loans.member.read.where: can never hold'],
  [{ read: { where: { member: { gt: 5, lt: 3 } } } }, 'loans.member.read.where: can never hold'],
  [{ read: { where: { any: [{ member: { gt: 5, lte: 5 } }] } } }, 'loans.member.read.where: can never hold'],
  [{ update: true }, 'loans.member.update: can never hold: a record has to be readable'],
  [
    { read: { where: { member: 1 } }, delete: { where: { member: 2 } } },
    'loans.member.delete.where: can never hold: no record meets it that "read" allows, too',
  ],
  [{ read: true, create: { fields: ['book'] } }, 'loans.member.create: can never hold: the required member, due_on'],
  [{ read: true, update: { fields: ['version'] } }, 'loans.member.update.fields[0]: version is set by the server'],
  [{ read: true, update: { set: { member: 'x' } } }, 'loans.member.update.set.member: must be'],
  [{ read: true, update: { set: { member: null } } }, 'loans.member.update.set.member: cannot be null'],
  [{ read: true, update: { set: { membr: 1 } } }, 'loans.member.update.set.membr: there is no field that can be set'],
  [
    { read: true, update: { set: { member: '$today' } } },
    'loans.member.update.set.member: cannot be compared with $today',
  ],
  [{ read: true, create: { set: { member: 7 }, check: { member: 8 } } }, 'loans.member.create.check: can never hold'],
  [
    { read: true, create: { fields: ['book', 'member', 'due_on'], check: { returned_on: { is: 'set' } } } },
    'loans.member.create.check: can never hold',
  ],
])('the rule %j', (rule, line) => {
  expect(read(rule).lines.join('\n')).toContain(line);
});

/** The rules of the role, by collection. */
function mistakesOf(rules: Readonly<Record<string, unknown>>, declared: Declarations = declarations) {
  const mistakes = new Mistakes();
  const given = Object.entries(rules).map(([collection, rule]) => ({
    collection,
    value: { member: rule },
    path: collection,
  }));
  readAccess(roles, given, declared, mistakes);
  return mistakes.lines;
}

describe('a path leads only through what the role may read', () => {
  const why = 'can never hold for the role member: a path leads only through what the role may read; ';
  const hidden = `loans.member.read.where.book.cost: ${why}unknown field; books has the fields: id, title, state, version`;
  const unread = `loans.member.read.where.book.cost: ${why}leads to books, which the role may not read`;
  const rule = { read: { where: { 'book.cost': '1.00' } } };

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a hidden field', { loans: rule, books: { read: { fields: ['title', 'state'] } } }, hidden],
    ['a collection without a rule', { loans: rule }, unread],
    ['a collection that it may only create records of', { loans: rule, books: { create: true } }, unread],
    ['a rule that does not allow to read', { loans: rule, books: { read: false, create: true } }, unread],
    [
      'a value of the request',
      { loans: { read: { where: { 'book.cost': '$caller.sub' } } }, books: { read: { fields: ['title', 'state'] } } },
      hidden,
    ],
    [
      'within any',
      { loans: { read: { where: { any: [{ member: 1 }, { 'book.cost': '1.00' }] } } } },
      'loans.member.read.where.any.1.book.cost: can never hold for the role member',
    ],
    [
      'words of a hidden field',
      { loans: { read: { where: { 'book.words': 'a' } } }, books: { read: { fields: ['state'] } } },
      'loans.member.read.where.book.words: can never hold for the role member',
    ],
    [
      'the condition of a creation',
      { loans: { create: { check: { 'book.cost': '1.00' } } }, books: { read: { fields: ['title'] } } },
      'loans.member.create.check.book.cost: can never hold for the role member',
    ],
    [
      'the condition of an update',
      { loans: { read: true, update: { where: { 'book.cost': '1.00' } } } },
      'loans.member.update.where.book.cost: can never hold for the role member',
    ],
    [
      'the condition of a deletion',
      { loans: { read: true, delete: { where: { 'book.cost': '1.00' } } } },
      'loans.member.delete.where.book.cost: can never hold for the role member',
    ],
  ])('%s', (_, rules, line) => {
    expect(mistakesOf(rules)).toEqual([expect.stringContaining(line)]);
  });

  test('a hidden field of the record itself, and ids, can be compared', () => {
    const loans = { read: { fields: ['book'], where: { member: 1, 'book.id': { gt: 2 } } } };
    expect(mistakesOf({ loans, books: { read: { fields: [] } } })).toEqual([]);
  });
});

describe('which records a role may read does not depend on itself', () => {
  const nodes: Declarations = {
    trees: { singular: 'tree', fields: { top: { type: 'reference', to: 'nodes', optional: true } } },
    nodes: {
      singular: 'node',
      fields: {
        parent: { type: 'reference', to: 'nodes', optional: true },
        tree: { type: 'reference', to: 'trees' },
      },
    },
  };

  test('a path to the same collection', () => {
    expect(mistakesOf({ nodes: { read: { where: { 'parent.id': 1 } } } }, nodes)).toEqual([
      'nodes.member.read.where: has a path that leads back to nodes: which records the role member may read would depend on itself',
    ]);
  });

  test('a path by the rule of another collection', () => {
    const rules = {
      trees: { read: { where: { 'top.id': '$caller.sub' } } },
      nodes: { read: { where: { 'tree.id': 1 } } },
    };
    expect(mistakesOf({ ...rules, trees: { read: { where: { 'top.id': 1 } } } }, nodes)).toEqual([
      'trees.member.read.where: has a path that leads back to trees, by the rules for nodes: which records the role member may read would depend on itself',
      'nodes.member.read.where: has a path that leads back to nodes, by the rules for trees: which records the role member may read would depend on itself',
    ]);
    expect(mistakesOf({ trees: rules.trees, nodes: 'read' }, nodes)).toEqual([]);
  });

  test('what a change needs may lead back', () => {
    const where = { 'parent.id': 1 };
    expect(mistakesOf({ nodes: { read: true, update: { where }, create: { check: where } } }, nodes)).toEqual([]);
  });
});

describe('a rule that can never hold', () => {
  test.each<[string, object, string | undefined]>([
    [
      'a field that is not sent has its default',
      { create: { fields: ['title', 'cost'], check: { state: 'lent' } } },
      'books.member.create.check: can never hold',
    ],
    ['a field that may be sent', { create: { check: { state: 'lent' } } }, undefined],
    [
      'a condition that the server ends',
      { read: true, update: { where: { state: 'available' }, fields: ['title'], set: { state: 'lent' } } },
      'books.member.update.where: can never hold after the change, as "set" and "check" make it',
    ],
    [
      'a condition that "check" ends',
      { read: true, update: { where: { state: 'available' }, check: { state: 'lent' } } },
      'books.member.update.where: can never hold after the change, as "set" and "check" make it',
    ],
    [
      'a condition that may cease to hold',
      { read: true, update: { where: { state: 'available' }, fields: ['state'], check: { state: 'lent' } } },
      undefined,
    ],
  ])('%s', (_, books, line) => {
    expect(mistakesOf({ books })).toEqual(line === undefined ? [] : [expect.stringContaining(line)]);
  });
});

test('every mistake is found at once', () => {
  const rule = { read: { fields: ['boo'], where: { owner: 1 } }, update: { set: { member: 'x' }, fields: ['id'] } };
  expect(read(rule).lines).toHaveLength(4);
});

test('what only a request knows is no contradiction', () => {
  const where = { all: [{ member: '$caller.a' }, { member: '$caller.b' }], not: { member: { gt: '$caller.sub' } } };
  const { lines, warnings } = read({ read: { where } });
  expect(lines).toEqual([]);
  expect(warnings).toEqual([
    'Warning: loans has $caller.a, and no role is "from" this claim: a rule with a claim that the caller lacks never holds.',
    'Warning: loans has $caller.b, and no role is "from" this claim: a rule with a claim that the caller lacks never holds.',
  ]);
});

test('a rule of a role that is not declared', () => {
  const given = [{ collection: 'loans', value: { membr: 'read' }, path: 'collections.loans.access' }];
  const mistakes = new Mistakes();
  readAccess(roles, given, declarations, mistakes);
  expect(mistakes.lines).toEqual(['collections.loans.access.membr: there is no role "membr"; did you mean "member"?']);
});
