import { describe, expect, test } from 'bun:test';
import { library } from '../../../test/support/data/library.ts';
import { Failure } from '../errors.ts';
import { parseJson } from '../input/json.ts';
import { maxOperations, readTransaction, type TransactionContext } from './read-transaction.ts';

const named = (name: string) => library.find((one) => one.name === name);
const context: TransactionContext = {
  collectionOf: named,
  known: library.map(({ name }) => name),
  targetOf: (name) => named(name) ?? expect.unreachable(),
};

const read = (body: string, given: Partial<TransactionContext> = {}) =>
  readTransaction(parseJson(body), { ...context, ...given });

/** Without its collection, which is in the text. */
function stepOf(operation: string, ...before: readonly string[]): object | undefined {
  const step = read(`{"operations":[${[...before, operation].join()}]}`).operations[before.length];
  if (step === undefined) return undefined;
  const { collection, ...rest } = step;
  expect(operation).toContain(`"collection":"${collection.name}"`);
  return rest;
}

/** Each as its path and its message. */
function mistakesIn(body: string): string[] {
  try {
    read(body);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error.code).toBe('invalid_body');
    return (error.problems ?? []).map(({ at = [], field, message }) =>
      field === undefined ? message : `${[...at, field].join('/')} ${message}`,
    );
  }
  return [];
}
const mistakesOf = (...operations: readonly string[]) => mistakesIn(`{"operations":[${operations.join()}]}`);

const author = '{"op":"create","collection":"authors","as":"borges","record":{"name":"Borges"}}';
const fields = '"title":"Ficciones","isbn":"9780000000001","price":"1.5","author":1';
const whole =
  '"weight":0.5,"price":"1.50","state":"draft","in_stock":true,"published_on":null,"seen_at":null,"tags":[],"ratings":null,"meta":null';

describe('operations', () => {
  test('create has the whole record with its defaults', () => {
    expect(stepOf(`{"op":"create","collection":"books","record":{${fields}}}`)).toEqual({
      op: 'create',
      json: [`{"title":"Ficciones","isbn":"9780000000001","pages":null,${whole},"author":1,"follows":null}`],
    });
  });

  test('a record of the contract has its id if it is sent', () => {
    const item = (more: string) =>
      stepOf(`{"op":"create","collection":"items","record":{${more}"name":"a","price":1}}`);
    expect(item('"external_id":9007199254740993,')).toMatchObject({
      json: ['{"id":9007199254740993,"name":"a","price":1}'],
    });
    expect(item('')).toMatchObject({ json: ['{"name":"a","price":1}'] });
  });

  test('update has the fields that are sent, with every digit', () => {
    expect(stepOf('{"op":"update","collection":"books","id":7,"record":{"pages":9007199254740993}}')).toEqual({
      op: 'update',
      recordId: 7,
      when: undefined,
      where: undefined,
      json: ['{"pages":9007199254740993}'],
    });
    expect(stepOf('{"op":"update","collection":"books","id":7,"record":{}}')).toMatchObject({ json: ['{}'] });
  });

  test('replace is an update with the whole record', () => {
    expect(stepOf('{"op":"replace","collection":"authors","id":7,"version":3,"record":{"name":"B"}}')).toEqual({
      op: 'update',
      recordId: 7,
      when: { match: [3], noneMatch: undefined },
      where: undefined,
      json: ['{"name":"B","born":null,"publisher":null}'],
    });
  });

  test('add has amounts, which may be out of the bounds of the field', () => {
    expect(
      stepOf(
        '{"op":"add","collection":"books","id":7,"record":{"price":"-2.5","pages":-9223372036854775808,"weight":-0.25}}',
      ),
    ).toMatchObject({ op: 'add', recordId: 7, json: '{"pages":-9223372036854775808,"weight":-0.25,"price":"-2.50"}' });
  });

  test('delete has conditions on the record', () => {
    expect(
      stepOf('{"op":"delete","collection":"books","id":7,"version":2,"where":{"pages":{"gt":9007199254740993}}}'),
    ).toEqual({
      op: 'delete',
      recordId: 7,
      when: { match: [2], noneMatch: undefined },
      where: [{ field: 'pages', operator: 'gt', values: [9007199254740993n] }],
    });
  });

  test.each(['update', 'add', 'delete'])('%s without an id is for all records that match', (op) => {
    const record = op === 'delete' ? '' : ',"record":{"pages":1}';
    expect(stepOf(`{"op":"${op}","collection":"books","where":{"state":"draft"},"count":{"lte":50}${record}}`)).toEqual(
      {
        op,
        where: [{ field: 'state', operator: 'eq', values: ['draft'] }],
        count: { lte: 50 },
        ...(op === 'delete' ? {} : { json: op === 'add' ? '{"pages":1}' : ['{"pages":1}'] }),
      } as never,
    );
  });

  test('upsert has the record as it would be created, and the fields as they are sent', () => {
    expect(
      stepOf(
        '{"op":"upsert","collection":"books","key":{"isbn":"9780000000001"},"record":{"title":"F","price":"2","author":3}}',
      ),
    ).toEqual({
      op: 'upsert',
      rule: { fields: ['isbn'] },
      json: [
        `{"title":"F","isbn":"9780000000001","pages":null,${whole.replace('1.50', '2.00')},"author":3,"follows":null}`,
      ],
      sent: ['{"title":"F","isbn":"9780000000001","price":"2.00","author":3}'],
    });
  });

  test('a check of one record', () => {
    const check = (more: string) => stepOf(`{"op":"check","collection":"books","id":7${more}}`);
    const none = { op: 'check', recordId: 7, when: undefined, where: undefined };
    expect(check('')).toEqual({ ...none, exists: true });
    expect(check(',"exists":false')).toEqual({ ...none, exists: false });
    expect(check(',"exists":true,"version":2,"where":{}')).toEqual({
      ...none,
      exists: true,
      when: { match: [2], noneMatch: undefined },
      where: [],
    });
  });

  test('a check of a number', () => {
    const bounds = '{"eq":1,"ne":2,"lt":3,"lte":4,"gt":0,"gte":9007199254740993}';
    expect(stepOf(`{"op":"check","collection":"books","where":{"author":1},"count":${bounds}}`)).toEqual({
      op: 'check',
      where: [{ field: 'author', operator: 'eq', values: [1n] }],
      count: { eq: 1, ne: 2, lt: 3, lte: 4, gt: 0, gte: Number.MAX_SAFE_INTEGER },
    });
  });

  test('an id or a version that the server cannot have assigned is one that no record has', () => {
    expect(stepOf('{"op":"delete","collection":"books","id":9223372036854775808,"version":1e300}')).toMatchObject({
      recordId: Number.MAX_SAFE_INTEGER,
      when: { match: [Number.MAX_SAFE_INTEGER] },
    });
    expect(stepOf('{"op":"delete","collection":"books","id":0.7e1}')).toMatchObject({ recordId: 7 });
  });

  test('results are records if that is asked for', () => {
    expect(read(`{"return":"records","operations":[${author}]}`).returnsRecords).toBe(true);
    expect(read(`{"operations":[${author}]}`).returnsRecords).toBe(false);
  });
});

describe('a record that an earlier operation creates', () => {
  const book = `{"op":"create","collection":"books","as":"book","record":{${fields.replace('"author":1', '"author":{"created":"borges"}')}}}`;

  test('is a piece of the record that refers to it', () => {
    expect(stepOf(book, author)).toMatchObject({
      json: [`{"title":"Ficciones","isbn":"9780000000001","pages":null,${whole},"author":`, 0, ',"follows":null}'],
    });
    expect(
      stepOf('{"op":"update","collection":"reviews","id":1,"record":{"book":{"created":"book"}}}', author, book),
    ).toMatchObject({
      json: ['{"book":', 1, '}'],
    });
  });

  test('is the record that an operation changes', () => {
    for (const op of ['update', 'replace', 'add', 'delete', 'check']) {
      const record = op === 'replace' ? ',"record":{"name":"B"}' : op === 'update' ? ',"record":{}' : '';
      const collection = op === 'add' ? 'books' : 'authors';
      const name = op === 'add' ? 'book' : 'borges';
      const more = op === 'add' ? ',"record":{"pages":1}' : record;
      expect(
        stepOf(`{"op":"${op}","collection":"${collection}","id":{"created":"${name}"}${more}}`, author, book),
      ).toMatchObject({ recordId: { made: op === 'add' ? 1 : 0 } });
    }
  });

  test('is part of what an upsert creates, and of what it changes', () => {
    const upsert =
      '{"op":"upsert","collection":"books","key":{"isbn":"9780000000001"},"record":{"title":"F","price":"2","author":{"created":"borges"}}}';
    expect(stepOf(upsert, author)).toMatchObject({
      json: [expect.stringMatching(/"author":$/), 0, ',"follows":null}'],
      sent: ['{"title":"F","isbn":"9780000000001","price":"2.00","author":', 0, '}'],
    });
  });

  test('cannot be a value of a field that is no reference, but an object of JSON can have that form', () => {
    expect(
      mistakesOf(author, '{"op":"update","collection":"books","id":1,"record":{"title":{"created":"borges"}}}'),
    ).toEqual(['operations/1/record/title must be a string']);
    expect(stepOf('{"op":"update","collection":"books","id":1,"record":{"meta":{"created":"x"}}}')).toMatchObject({
      json: ['{"meta":{"created":"x"}}'],
    });
  });

  test('must be named earlier, once, and be of the right collection', () => {
    const to = (name: string) =>
      `{"op":"update","collection":"books","id":{"created":"${name}"},"record":{"author":{"created":"${name}"}}}`;
    expect(mistakesOf(to('borges'), author)).toEqual([
      'operations/0/id/created is the name of no earlier operation: give one with "as"',
      'operations/0/record/author/created is the name of no earlier operation: give one with "as"',
    ]);
    expect(mistakesOf(author, to('borgs'))[0]).toEndWith('no earlier operation; did you mean "borges"?');
    expect(mistakesOf(author, to('borges'))).toEqual([
      'operations/1/id/created is a record of authors, and must be one of books',
    ]);
    expect(mistakesOf(author, author)).toEqual(['operations/1/as is the name that operation 0 gives already']);
    const self = book.replace('"borges"', '"book"');
    expect(mistakesOf(self)).toEqual([
      'operations/0/record/author/created is the name of no earlier operation: give one with "as"',
    ]);
  });

  test.each(['{}', '{"made":"x"}', '{"created":7}', '{"created":"borges","x":1}'])('cannot be %s', (id) => {
    const message = 'must be an id, or {"created":"name"} with the name of an earlier operation';
    expect(mistakesOf(author, `{"op":"delete","collection":"authors","id":${id}}`)).toEqual([
      `operations/1/id ${message}`,
    ]);
    expect(
      mistakesOf(author, `{"op":"update","collection":"books","id":1,"record":{"author":${id},"pages":"x"}}`),
    ).toEqual([`operations/1/record/author ${message}`, 'operations/1/record/pages must be an integer']);
  });

  test.each(['""', `"${'x'.repeat(101)}"`, '7'])('cannot have the name %s', (name) => {
    expect(mistakesOf(author.replace('"borges"', name))).toHaveLength(1);
  });
});

describe('mistakes', () => {
  test('all of them at once, each with its place', () => {
    expect(
      mistakesIn(`{"operation":[],"return":"record","operations":[
        7,
        {},
        {"op":"creat","collection":"boks","record":7},
        {"op":"create","collection":"books","id":7,"record":{"pages":1.5,"titel":"x","version":1}},
        {"op":"update","collection":"book","id":"7","version":0,"count":{"lt":-1}},
        {"op":"update","collection":"books","record":[]},
        {"op":"update","collection":"books","id":1,"count":{},"where":{"prise":1,"pages":"1"},"record":{"pages":0}},
        {"op":"replace","collection":"authors","where":{},"record":{}},
        {"op":"add","collection":"books","id":-1,"record":{"title":"x","pages":"1","price":"0.001","wieght":1}},
        {"op":"add","collection":"books","id":1,"record":{}},
        {"op":"delete","collection":"books","where":{},"version":1,"count":{"lt":"5","below":5}},
        {"op":"upsert","collection":"books","key":{"title":"x"},"record":{}},
        {"op":"upsert","collection":"reviews","key":{"text":"x"},"record":{}},
        {"op":"upsert","collection":"books","key":{"isbn":"1"},"record":{"isbn":"1","title":"x","price":"1","author":1}},
        {"op":"check","collection":"books"},
        {"op":"check","collection":"books","id":1,"exists":false,"version":1,"where":{}},
        {"op":"check","collection":"books","id":1,"exists":"no","count":{"eq":1}},
        {"op":"check","collection":"books","where":[],"exists":true}
      ]}`),
    ).toMatchInlineSnapshot(`
      [
        "operation unknown member; did you mean "operations"?",
        "return must be "records", or be left out",
        "operations/0 must be an object with "op" and "collection"",
        "operations/1/op is required",
        "operations/1/collection is required",
        "operations/2/op unknown operation; did you mean "create"?",
        "operations/2/collection unknown collection; did you mean "books"?",
        "operations/3/id unknown member of create; known: op, collection, record, as",
        "operations/3/record/titel unknown field; known fields: title, isbn, pages, weight, price, state, in_stock, published_on, seen_at, tags, ratings, meta, author, follows",
        "operations/3/record/version is set by the server; leave it out",
        "operations/3/record/title is required",
        "operations/3/record/isbn is required",
        "operations/3/record/pages must be an integer",
        "operations/3/record/price is required",
        "operations/3/record/author is required",
        "operations/4/collection unknown collection; did you mean "books"?",
        "operations/4/id must be an id, which is 1 or more, or {"created":"name"}",
        "operations/4/version must be a version, which is 1 or more",
        "operations/4/count/lt must be a whole number, 0 or more",
        "operations/5/id is required, or "where" for all records that match",
        "operations/5/record must be an object",
        "operations/6/count is for "where" without "id"; leave it out",
        "operations/6/where/prise unknown field; known fields: id, title, isbn, pages, weight, price, state, in_stock, published_on, seen_at, tags, ratings, meta, author, follows, version, created_at, updated_at",
        "operations/6/where/pages must be a 64-bit integer, without quotes",
        "operations/6/record/pages must be at least 1",
        "operations/7/id is required",
        "operations/7/record/name is required",
        "operations/8/id must be an id, which is 1 or more, or {"created":"name"}",
        "operations/8/record/title is no field that can be added to; fields with sums: pages, weight, price",
        "operations/8/record/pages must be an integer",
        "operations/8/record/price must be a decimal number with at most 2 places, from -92233720368547758.08 to 92233720368547758.07",
        "operations/8/record/wieght is no field that can be added to; did you mean "weight"?",
        "operations/9/record must have at least one field",
        "operations/10/version is for one record; add its "id"",
        "operations/10/count/lt must be a whole number, 0 or more",
        "operations/10/count/below is no operator of a count: it has eq, ne, lt, lte, gt, gte",
        "operations/11/key must have the fields of one unique rule of books: isbn",
        "operations/12/key cannot be: reviews has no unique rule",
        "operations/13/record/isbn is in "key"; leave it out",
        "operations/13/key/isbn must match the pattern ^[0-9]{13}$",
        "operations/14/where is required",
        "operations/14/count is required",
        "operations/15/version is for a record that exists; leave it out",
        "operations/15/where is for a record that exists; leave it out",
        "operations/16/exists must be true or false",
        "operations/16/count is for "where" without "id"; leave it out",
        "operations/17/exists is for one record; add its "id"",
        "operations/17/where must be an object of conditions",
        "operations/17/count is required",
      ]
    `);
  });

  test.each([
    ['[]', 'must be a JSON object'],
    ['{}', 'operations is required'],
    ['{"operations":{}}', 'operations must be a list'],
    ['{"operations":[]}', 'operations has 0 operations, and must have 1 to 1000'],
    [
      `{"operations":[${Array(maxOperations + 1)
        .fill('7')
        .join()}]}`,
      'operations has 1001 operations, and must have 1 to 1000',
    ],
  ])('%#', (body, expected) => {
    expect(mistakesIn(body)).toEqual([expected]);
  });

  const many = Array.from({ length: 1000 }, (_, n) => `"x${n}":1`).join();
  test.each([
    ['an operation', `{"op":"delete","collection":"books",${many},"id":0}`],
    ['amounts', `{"op":"add","collection":"books","id":1,"record":{${many},"pages":"a"}}`],
    ['a count', `{"op":"check","collection":"books","where":{},"count":{${many},"lt":-1}}`],
  ])('of the unknown names in %s, some are named', (_, operation) => {
    // 20 are in the sentence.
    expect(() => read(`{"operations":[${operation}]}`)).toThrow('; and 181 more.');
  });

  test('a thousand operations are right', () => {
    const one = '{"op":"delete","collection":"books","id":1}';
    expect(read(`{"operations":[${Array(maxOperations).fill(one).join()}]}`).operations).toHaveLength(maxOperations);
  });
});

describe('rights', () => {
  const needs = (operation: string) => {
    const asked: string[] = [];
    const collectionOf = (name: string, needed: string) => {
      asked.push(`${needed} ${name}`);
      return named(name);
    };
    read(`{"operations":[${operation}]}`, { collectionOf });
    return asked;
  };

  test('a check needs to read, and every change to write', () => {
    expect(needs('{"op":"check","collection":"books","id":1}')).toEqual(['read books']);
    expect(needs('{"op":"delete","collection":"books","id":1}')).toEqual(['write books']);
    expect(needs(author)).toEqual(['write authors']);
  });

  test('a lack of them is found before mistakes', () => {
    const collectionOf = (name: string) => {
      if (name === 'books') throw new Failure('forbidden');
      return named(name);
    };
    const body = '{"operations":[{"op":"create","collection":"authors"},{"op":"check","collection":"books"}]}';
    expect(() => read(body, { collectionOf })).toThrow('lacks the required scope');
  });
});
