/** shelf access and shelf types --role: what a role may do, and why it sees a record, or does not. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { runShelf, type Shelf, startShelf } from '../support/servers/process.ts';

const file = {
  roles: { member: { from: { claim: 'member_id' } }, guest: { from: 'anybody' }, nobody: { from: { claim: 'x' } } },
  collections: {
    towns: { singular: 'town', fields: { open: 'boolean' }, access: { member: 'read', guest: 'read' } },
    halls: {
      singular: 'hall',
      fields: { town: { type: 'reference', to: 'towns' } },
      access: { member: { read: { where: { 'town.open': true } } } },
    },
    shelves: {
      singular: 'shelf',
      fields: { hall: { type: 'reference', to: 'halls' } },
      access: { member: { read: { where: { 'hall.id': { gt: 0 } } } } },
    },
    books: {
      singular: 'book',
      fields: { title: 'text', shelf: { type: 'reference', to: 'shelves' }, cost: 'integer' },
      access: {
        member: {
          read: { where: { 'shelf.id': { gt: 0 }, cost: { lte: '$caller.member_id' } }, fields: ['title', 'shelf'] },
          create: { fields: ['title', 'shelf'], set: { cost: 1 } },
          update: { where: { any: [{ title: 'a' }, { cost: '$caller.member_id' }] }, fields: ['title'] },
          delete: true,
        },
      },
    },
  },
  settings: { auth: 'all' },
};

const folder = temporaryFolder();
writeFileSync(join(folder, 'shelf.json'), JSON.stringify(file));
const env = { SHELF_DATABASE: `sqlite:${join(folder, 'access.db')}` };
const run = (...args: string[]) => runShelf({ args, cwd: folder, env });
const explained = async (record: string, ...claims: string[]) =>
  run('access', '--as', 'member', ...claims.flatMap((claim) => ['--claim', claim]), '--explain', record);

let shelf: Shelf;
beforeAll(async () => {
  await run('migrate');
  const key = (await run('keys', 'create', '--name', 'desk', '--scope', 'write')).stdout.trim();
  shelf = await startShelf({ cwd: folder, env });
  const add = async (collection: string, record: object) => {
    const headers = { Authorization: `Bearer ${key}` };
    const made = await fetch(`${shelf.url}/api/v2/${collection}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(record),
    });
    expect(made.status).toBe(201);
  };
  for (const open of [true, false]) await add('towns', { open });
  for (const town of [1, 2]) await add('halls', { town });
  for (const hall of [1, 2]) await add('shelves', { hall });
  for (const shelf of [1, 2]) await add('books', { title: 'a', shelf, cost: 5 });
});
afterAll(() => shelf?.stop());

describe('--explain, while the server runs', () => {
  test('a record that every rule on the way allows', async () => {
    expect((await explained('books/1', 'member_id=7')).stdout).toBe(
      `books/1 for the role member, by the rule access.member of books:
  read: yes, {"shelf.id":{"gt":0}} holds; {"cost":{"lte":7}} holds
  update: yes, {"any":[{"title":"a"},{"cost":7}]} holds
  delete: yes, the rule is for all records
`,
    );
  });

  test('a record that is hidden because another one at the end of the rules is', async () => {
    expect((await explained('books/2', 'member_id=7')).stdout).toBe(
      `books/2 for the role member, by the rule access.member of books:
  read: no, {"shelf.id":{"gt":0}} does not hold; {"cost":{"lte":7}} holds
  update: no, the record may not be read; {"any":[{"title":"a"},{"cost":7}]} holds
  delete: no, the record may not be read; the rule is for all records
`,
    );
  });

  test.each([
    ['without the claim', [], 'never holds without $caller.member_id'],
    ['with a claim of another type', ['member_id="7"'], 'never holds: '],
  ])('%s', async (_, claims, text) => {
    const { stdout } = await explained('books/1', ...claims);
    expect(stdout).toContain('  read: no, ');
    expect(stdout.match(/update: .*/)?.[0]).toContain(text);
  });

  test.each([
    ['books/9', 'There is no record books/9 in the database.'],
    ['boks/1', 'Unknown collection "boks"; known collections: '],
    ['books', '--explain must be COLLECTION/ID, such as loans/40, not "books".'],
  ])('%s', async (record, line) => {
    const { stdout, stderr, code } = await explained(record);
    expect([stdout, stderr, code]).toEqual(['', expect.stringContaining(line), expect.any(Number)]);
    expect(code).not.toBe(0);
  });
});

test('the table of a role without its claim, and of one without rules', async () => {
  const { stdout } = await run('access', '--as', 'member');
  expect(stdout).toMatch(/^books +update +\{"any":\[\{"title":"a"\},\{"cost":"\$caller\.member_id"\}\]\} +title$/m);
  expect(stdout).toMatch(/^books +create +- +title shelf cost=1$/m);
  expect(stdout).toMatch(/^books +delete +all +-$/m);
  expect(stdout).toContain('\nWithout --claim member_id, a rule that names it never holds.\n');
  expect((await run('access', '--as', 'nobody')).stdout).toBe(
    'The role nobody may do nothing: no collection has a rule for it.\n',
  );
  const { stderr, code } = await run('access', '--as', 'membr');
  expect([stderr, code === 0]).toEqual([
    expect.stringContaining('There is no role "membr"; did you mean "member"?'),
    false,
  ]);
});

test('the types of a role: its collections, what it reads, and what it may send', async () => {
  const { stdout } = await run('types', '--role', 'member');
  const books = stdout.slice(stdout.indexOf('books'));
  expect(stdout).toContain('halls');
  expect(books).toContain('title');
  expect(books).not.toContain('cost');
  const guest = (await run('types', '--role', 'guest')).stdout;
  expect([guest.includes('towns'), guest.includes('books'), guest.includes('halls')]).toEqual([true, false, false]);
  expect((await run('types', '--role', 'membr')).stderr).toContain('There is no role "membr"; did you mean "member"?');
});

describe('shelf check', () => {
  const check = async (name: string, content: object) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return run('check', path);
  };

  test('finds every mistake in roles and rules, and changes nothing', async () => {
    const { towns, halls, ...others } = file.collections;
    const { stdout, stderr, code } = await check('wrong.json', {
      ...file,
      access: { items: { membr: 'read' }, things: { member: 'read' } },
      collections: {
        ...others,
        halls,
        towns: { ...towns, access: { member: { read: { where: { 'open.x': 1 }, fields: ['opn'] } } } },
        books: { ...others.books, access: { guest: { read: { where: { 'shelf.hall.town': 1 } } } } },
      },
    });
    expect([stdout, code]).toEqual(['', 2]);
    for (const line of [
      'access.items.membr: there is no role "membr"; did you mean "member"?',
      'access.things: is no collection of the contract that is served (items, users)',
      'collections.towns.access.member.read.fields[0]: there is no field "opn"; did you mean "open"?',
      'collections.towns.access.member.read.where.open.x: has open, which is no reference of towns',
      'collections.books.access.guest.read.where.shelf.hall.town: can never hold for the role guest',
    ])
      expect(stderr).toContain(line);
  });

  test('warns of a claim that no role is from', async () => {
    const access = { member: { read: { where: { cost: '$caller.membr_id' } } } };
    const { stderr, code } = await check('warned.json', {
      ...file,
      collections: { ...file.collections, books: { ...file.collections.books, access } },
    });
    expect([stderr, code]).toEqual([
      expect.stringContaining(
        'Warning: collections.books.access has $caller.membr_id, and no role is "from" this claim',
      ),
      0,
    ]);
  });
});
