import { describe, expect, test } from 'bun:test';
import { Collected, CollectionOperations } from './operations.ts';
import { ShelfError } from './send/failure.ts';
import { encode } from './values/encode.ts';

function collecting() {
  const collected = new Collected();
  const books = new CollectionOperations('books', collected);
  const loans = new CollectionOperations('loans', collected);
  return { collected, books, loans };
}

/** The operations in a body. */
function sent(collect: (all: ReturnType<typeof collecting>) => void): object[] {
  const all = collecting();
  collect(all);
  return (JSON.parse(all.collected.bodyOf(undefined)) as { operations: object[] }).operations;
}

function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof ShelfError && error.code === 'invalid_argument') return error.message;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('operations', () => {
  test('on one record', () => {
    const record = { id: 7, version: 3, title: 'x' };
    const collection = 'books';
    expect(
      sent(({ books }) => {
        books.update(7, { title: 'a' });
        books.update(record, { title: 'a' });
        books.replace(record, { title: 'a' }, { version: 9, where: { state: 'new' } } as object);
        books.add(7, { price: '1' }, {});
        books.delete(record);
        books.check(7);
        books.check(record, { exists: false });
      }),
    ).toEqual([
      { op: 'update', collection, id: 7, record: { title: 'a' } },
      { op: 'update', collection, id: 7, version: 3, record: { title: 'a' } },
      { op: 'replace', collection, id: 7, version: 9, where: { state: 'new' }, record: { title: 'a' } },
      { op: 'add', collection, id: 7, record: { price: '1' } },
      { op: 'delete', collection, id: 7, version: 3 },
      { op: 'check', collection, id: 7 },
      { op: 'check', collection, id: 7, exists: false },
    ]);
  });

  test('an id may be a bigint', () => {
    const [update, check] = sent(({ books }) => {
      books.update(7n, { author: 9007199254740991n });
      books.check(8n, { exists: false });
    });
    expect(update).toEqual({ op: 'update', collection: 'books', id: 7, record: { author: Number.MAX_SAFE_INTEGER } });
    expect(check).toEqual({ op: 'check', collection: 'books', id: 8, exists: false });
    expect(refusal(() => sent(({ books }) => books.delete(2n ** 53n)))).toBe(
      'The id of a record of books is 9007199254740992: expected a number.',
    );
  });

  test('on all records that match; a plain count means eq', () => {
    const where = { id: 7, version: 3 };
    expect(
      sent(({ books }) => {
        books.check(where, { count: 0 });
        books.updateWhere(where, { title: 'a' });
        books.addWhere(where, { price: '1' }, { count: { lt: 5 } });
        books.deleteWhere({}, { count: 2 });
      }),
    ).toEqual([
      { op: 'check', collection: 'books', where, count: { eq: 0 } },
      { op: 'update', collection: 'books', where, record: { title: 'a' } },
      { op: 'add', collection: 'books', where, count: { lt: 5 }, record: { price: '1' } },
      { op: 'delete', collection: 'books', where: {}, count: { eq: 2 } },
    ]);
  });

  test('are encoded at once, with every digit', () => {
    const { books, collected } = collecting();
    const record = { pages: 9007199254740993n, weight: -0 };
    books.upsert({ isbn: '1' }, record);
    record.pages = 1n;
    books.check({ pages: { in: [9007199254740993n] } }, { count: 1 });
    expect(collected.bodyOf('records')).toBe(
      '{"operations":[{"op":"upsert","collection":"books","key":{"isbn":"1"},"record":{"pages":9007199254740993,"weight":-0}},' +
        '{"op":"check","collection":"books","where":{"pages":{"in":[9007199254740993]}},"count":{"eq":1}}],"return":"records"}',
    );
    expect([collected.size, collected.collectionAt(1), collected.collectionAt(2)]).toEqual([2, 'books', undefined]);
  });
});

describe('a created record', () => {
  test('has a name if a later operation uses it', () => {
    expect(
      sent(({ books, loans }) => {
        books.create({ title: 'unused' });
        const book = books.create({ title: 'used' });
        loans.create({ book });
        books.update(book, { follows: book });
      }),
    ).toEqual([
      { op: 'create', collection: 'books', record: { title: 'unused' } },
      { op: 'create', collection: 'books', record: { title: 'used' }, as: '1' },
      { op: 'create', collection: 'loans', record: { book: { created: '1' } } },
      { op: 'update', collection: 'books', id: { created: '1' }, record: { follows: { created: '1' } } },
    ]);
  });

  test('is refused outside of its transaction, and so is a result that is not of create', () => {
    const { books, collected } = collecting();
    const book = books.create({});
    expect(refusal(() => collecting().loans.create({ book }))).toContain('outside of its transaction');
    expect(refusal(() => encode({ book }, 'loans'))).toContain('outside of its transaction');
    const updated = books.update(7, {});
    expect(refusal(() => books.create({ follows: updated }))).toContain('not one of create');
    expect(refusal(() => books.delete(collected.changes))).toContain('not one of create');
    // What was refused is not collected.
    expect(collected.size).toBe(2);
  });
});

describe('is refused', () => {
  test('a condition without a value, which would otherwise not be checked', () => {
    const { books } = collecting();
    expect(refusal(() => books.update(7, {}, { version: undefined } as object))).toBe(
      'version of update on books is undefined, which JSON does not have.',
    );
    expect(refusal(() => books.update(7, {}, { where: undefined } as object))).toBe(
      'where of update on books is undefined: expected an object of conditions.',
    );
    expect(refusal(() => books.deleteWhere({ title: undefined }))).toContain('title is undefined');
    expect(refusal(() => books.deleteWhere({}, { count: undefined }))).toContain('count of delete on books');
    expect(refusal(() => books.check({}, { count: undefined }))).toContain('count of check on books');
    expect(refusal(() => books.check({}, { count: { gt: 0, lt: undefined } }))).toContain('lt is undefined');
  });

  test('a target that is none', () => {
    const { books, collected } = collecting();
    expect(refusal(() => books.delete(Number.NaN))).toContain('The id of a record of books is NaN');
    expect(refusal(() => books.delete({ id: 7 } as never))).toContain('Record 7 has no version');
    expect(collected.size).toBe(0);
  });

  test('an operation after the end', () => {
    const { books, collected } = collecting();
    collected.close();
    expect(refusal(() => books.create({}))).toContain('create on books comes too late');
  });
});
