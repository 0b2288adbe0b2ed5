/** 300 random roles: what each of them sees is what a plain evaluator of its rule selects from all records. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { AccessRule } from '../../../src/domain/access/declaration.ts';
import { collection } from '../../../src/domain/record/collection.ts';
import type { Plain } from '../../../src/domain/record/declaration.ts';
import { temporaryFolder } from '../../support/data/folder.ts';
import { Random } from '../../support/data/random.ts';
import { type EngineUnderTest, emptyEngines } from '../../support/servers/engines.ts';
import { type RoleServer, startRoleServer } from '../../support/servers/role-server.ts';

const folder = temporaryFolder();
const engines: readonly EngineUnderTest[] = [...emptyEngines, ['sqlite', () => `sqlite:${join(folder, 'rules.db')}`]];
const admin = { scope: 'admin' } as const;

const collections = [
  collection('authors', {
    singular: 'author',
    fields: { name: { type: 'text' }, country: { type: 'text', optional: true } },
  }),
  collection('books', {
    singular: 'book',
    fields: {
      title: { type: 'text' },
      pages: { type: 'integer', optional: true },
      owner: { type: 'integer' },
      author: { type: 'reference', to: 'authors', optional: true },
    },
  }),
];
type Stored = Readonly<Record<string, string | number | null>>;
type Rule = { readonly where: Plain; readonly fields: readonly string[] };
type Role = { readonly books: Rule; readonly authors: Rule | undefined };
const fieldsOf = { books: ['title', 'pages', 'owner', 'author'], authors: ['name', 'country'] } as const;
const owners = [1, 2, 3];

const random = new Random(38);
const some = (fields: readonly string[]) => fields.filter(() => random.chance(0.7));
const roles = Array.from({ length: 300 }, (_, n): readonly [string, Role] => [
  `role_${n}`,
  {
    books: { where: condition(true, 2), fields: some(fieldsOf.books) },
    authors: random.chance(0.2) ? undefined : { where: authorCondition(), fields: some(fieldsOf.authors) },
  },
]);

function condition(hasPaths: boolean, levels: number): Plain {
  const inner = () => condition(hasPaths, levels - 1);
  const members: readonly (readonly [string, number, () => Plain])[] = [
    ['title', 0.3, () => ({ in: [random.pick(['a', 'b']), 'c'] })],
    ['pages', 0.3, () => random.pick<Plain>([{ gte: 5 }, { lt: 5 }, { is: 'null' }, { is: 'set' }, { ne: 5 }])],
    ['owner', 0.4, () => random.pick<Plain>(['$caller.id', 2, { ne: '$caller.id' }, { field: 'pages' }])],
    ['author.country', hasPaths ? 0.3 : 0, () => random.pick<Plain>(['AR', { ne: 'AR' }, { is: 'null' }])],
    ['not', levels > 0 ? 0.3 : 0, inner],
    ['any', levels > 0 ? 0.3 : 0, () => [inner(), inner()]],
  ];
  return Object.fromEntries(
    members.flatMap(([name, share, value]) => (random.chance(share) ? [[name, value()]] : [])),
  ) as Plain;
}

function authorCondition(): Plain {
  return random.pick<Plain>([{}, { country: 'AR' }, { not: { country: 'AR' } }, { name: { ne: 'x' } }]);
}

/** Whether conditions hold for a record, by the words of docs/queries.md and docs/access.md alone. */
class Reference {
  constructor(
    readonly role: Role,
    readonly caller: number,
    readonly authors: readonly Stored[],
  ) {}

  sees(book: Stored): boolean {
    // A path through a field that the role cannot read makes the whole condition false.
    const paths = JSON.stringify(this.role.books.where).includes('author.country');
    const { authors } = this.role;
    if (paths && (authors === undefined || !authors.fields.includes('country'))) return false;
    return this.#holds(this.role.books.where, book);
  }

  #holds(where: Plain, record: Stored): boolean {
    return Object.entries(where as Readonly<Record<string, Plain>>).every(([name, wanted]) => {
      if (name === 'not') return !this.#holds(wanted, record);
      if (name === 'any') return (wanted as Plain[]).some((one) => this.#holds(one, record));
      if (name !== 'author.country') return this.#compares(record[name] ?? null, wanted, record);
      const author = this.authors.find(({ id }) => id === record.author);
      const isSeen = author !== undefined && this.#holds(this.role.authors?.where ?? {}, author);
      return isSeen && this.#compares(author.country ?? null, wanted, author);
    });
  }

  #compares(value: string | number | null, wanted: Plain, record: Stored): boolean {
    const operators = typeof wanted === 'object' ? (wanted as Readonly<Record<string, Plain>>) : { eq: wanted };
    return Object.entries(operators).every(([operator, operand]) => {
      if (operator === 'is') return (value === null) === (operand === 'null');
      if (operator === 'field') return value !== null && value === record[String(operand)];
      const other = operand === '$caller.id' ? this.caller : operand;
      if (value === null) return false;
      if (operator === 'eq') return value === other;
      if (operator === 'ne') return value !== other;
      if (operator === 'in') return (other as Plain[]).includes(value);
      return operator === 'gte' ? Number(value) >= Number(other) : Number(value) < Number(other);
    });
  }
}

const access = {
  roles: Object.fromEntries(roles.map(([name]) => [name, { from: { claim: 'id' } }])),
  collections: Object.fromEntries(
    (['books', 'authors'] as const).map((name) => [
      name,
      Object.fromEntries(
        roles.flatMap(([role, rules]): [string, AccessRule][] => {
          const read = rules[name];
          return read === undefined ? [] : [[role, { read: { where: withFields(read.where), fields: read.fields } }]];
        }),
      ),
    ]),
  ),
};

/** `{ "field": NAME }` is a value of `eq`. */
function withFields(where: Plain): Plain {
  return JSON.parse(JSON.stringify(where).replace(/\{"field":"pages"\}/g, '{"eq":{"field":"pages"}}')) as Plain;
}

describe.each(engines)('%s', (_, newUrl) => {
  let server: RoleServer;
  const books: Stored[] = [];
  const authors: Stored[] = [];
  beforeAll(async () => {
    server = await startRoleServer(collections, access, await newUrl());
    const add = async (path: string, record: object) => {
      const { status, text } = await server.ask(admin, 'POST', `/api/v2/${path}`, record);
      expect([status, text]).toEqual([201, text]);
    };
    for (const country of ['AR', 'UY', null]) await add('authors', { name: random.pick(['x', 'y']), country });
    for (const owner of owners)
      for (const pages of [null, 1, 5, 9])
        for (const title of ['a', 'b'])
          await add('books', { title, pages, owner, author: random.pick([1, 2, 3, null]) });
    for (const [name, all] of [
      ['authors', authors],
      ['books', books],
    ] as const) {
      const { text } = await server.ask(admin, 'GET', `/api/v2/${name}`, undefined, { Accept: 'application/x-ndjson' });
      all.push(
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Stored),
      );
    }
  });
  afterAll(() => server.stop());

  test('lists, pages and counts are those of the reference', async () => {
    let seen = 0;
    for (const [name, role] of roles) {
      const caller = random.pick(owners);
      const as = { role: name, claims: { id: caller } };
      const reference = new Reference(role, caller, authors);
      const expected = books.filter((book) => reference.sees(book));
      seen += expected.length;
      const visible = (book: Stored) =>
        Object.fromEntries(Object.entries(book).filter(([key]) => !isDeclared(key) || role.books.fields.includes(key)));
      const what = `${name} with ${caller}: ${JSON.stringify(role)}`;
      const page = await server.ask(as, 'GET', '/api/v2/books?limit=5&sort=-id&count=exact');
      expect([what, page.json]).toEqual([
        what,
        expect.objectContaining({ data: expected.map(visible).toReversed().slice(0, 5), total: expected.length }),
      ]);
      const whole = await server.ask(as, 'GET', '/api/v2/books', undefined, { Accept: 'application/x-ndjson' });
      expect([what, whole.text]).toEqual([what, expected.map((book) => `${JSON.stringify(visible(book))}\n`).join('')]);
      const one = random.pick(books);
      const { status } = await server.ask(as, 'GET', `/api/v2/books/${one.id}`);
      expect([what, status]).toEqual([what, reference.sees(one) ? 200 : 404]);
    }
    // The rules are neither all empty nor all open.
    expect(seen > 1000 && seen < roles.length * books.length * 0.8).toBeTrue();
  });
});

function isDeclared(key: string): boolean {
  return fieldsOf.books.some((field) => field === key);
}
