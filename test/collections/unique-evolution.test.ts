/** Unique rules of several fields, and with a condition, are added to records, renamed with their fields, converted and removed. */
import { expect, test } from 'bun:test';
import { lastingEngines } from '../support/servers/engines.ts';
import { type Ask, add, type Json, migrate, plan, refusal, serving, violated } from '../support/servers/evolving.ts';

const text = { type: 'text', max: 20 };
const optional = { ...text, optional: true };
const books = (fields: object, unique?: unknown, more: object = {}) => ({
  books: { singular: 'book', fields, ...(unique === undefined ? {} : { unique }), ...more },
});
const open = { ended: { is: 'null' } };

/** Adds a record to books, and returns the status and the pointers of the answer. */
async function tried(ask: Ask, record: Json, collection = 'books') {
  const { status, body } = await ask(collection, record);
  return [status, ...((body.errors ?? []) as { pointer: string }[]).map(({ pointer }) => pointer)];
}

for (const [engine, newUrl] of lastingEngines()) {
  const named = (title: string) => `${engine}: ${title}`;
  const isPostgres = engine === 'postgres';

  test(named('a rule is added if all records keep it, and refused with the first that break it'), async () => {
    const url = await newUrl();
    const fields = { row: optional, place: optional, ended: optional };
    const before = books(fields);
    const after = books(fields, [['row', 'place'], { fields: ['place'], where: open }]);
    await serving(url, before, (ask) =>
      add(
        ask,
        { row: 'a', place: 'x' },
        { row: 'a', ended: 'e' },
        { row: 'a', ended: 'e' },
        { row: 'a', place: 'x', ended: 'e' },
        { row: 'b', place: 'x' },
      ),
    );
    expect(await plan(url, after)).toEqual([
      'check: books: make row and place unique together',
      'check: books: make place unique where {"ended":{"is":"null"}}',
    ]);
    expect(await violated(url, after)).toEqual([
      'books: row and place of records 1 and 4 are "a" and "x": they must be unique together',
      'books: place of records 1 and 5 is "x": it must be unique where {"ended":{"is":"null"}}',
    ]);
    const first =
      'books: row and place cannot be unique together: records 1 and 4 have the same values. Change one of them first.';
    await expect(migrate(url, after)).rejects.toThrow(first);
    if (!isPostgres) expect(await refusal(url, after)).toBe(first);
    await serving(url, before, async (ask) => {
      expect((await ask('books/4', { row: 'c' }, 'PATCH')).status).toBe(200);
    });
    await expect(migrate(url, after)).rejects.toThrow(
      'books: place cannot be unique where {"ended":{"is":"null"}}: records 1 and 5 have the same value.',
    );
    await serving(url, before, async (ask) => {
      expect((await ask('books/5', { ended: 'e' }, 'PATCH')).status).toBe(200);
    });
    expect(await migrate(url, after)).toEqual([
      'books: make row and place unique together',
      'books: make place unique where {"ended":{"is":"null"}}',
    ]);
    await serving(url, after, async (ask) => {
      expect(await tried(ask, { row: 'c', place: 'x', ended: 'e' })).toEqual([409, '#/row', '#/place']);
      expect(await tried(ask, { row: 'd', place: 'x' })).toEqual([409, '#/place']);
    });
    // Removed, it loses nothing, and servers with the file from before go on.
    expect(await plan(url, before)).toEqual([
      'none: books: allow equal values of row and place',
      'none: books: allow equal values of place where {"ended":{"is":"null"}}',
    ]);
    await serving(url, before, async (ask) => {
      expect(await tried(ask, { row: 'c', place: 'x', ended: 'e' })).toEqual([201]);
    });
    await serving(url, before, async () => {});
  });

  test(named('a rule follows its fields and its collection when they are renamed'), async () => {
    const url = await newUrl();
    const before = books({ row: text, place: text, ended: optional }, [
      ['row', 'place'],
      { fields: ['place'], where: open },
    ]);
    const after = {
      volumes: {
        singular: 'volume',
        was: 'books',
        fields: { line: { ...text, was: 'row' }, place: text, over: { ...optional, was: 'ended' } },
        unique: [['line', 'place'], { fields: ['place'], where: { over: { is: 'null' } } }],
      },
    };
    await serving(url, before, (ask) => add(ask, { row: 'a', place: 'x' }));
    expect(await plan(url, after)).toEqual(
      [
        'check: volumes: rename the collection books',
        'check: volumes: name one record volume; recorded changes keep book',
        'check: volumes.line: rename the field row',
        'check: volumes.over: rename the field ended',
      ].map((step) => step.replace('check: volumes: name', 'none: volumes: name')),
    );
    await migrate(url, after);
    for (let start = 0; start < 2; start++)
      await serving(url, after, async (ask) => {
        expect(await tried(ask, { line: 'a', place: 'x', over: 'e' }, 'volumes')).toEqual([409, '#/line', '#/place']);
        expect(await tried(ask, { line: 'b', place: 'x' }, 'volumes')).toEqual([409, '#/place']);
        expect(await tried(ask, { line: `c${start}`, place: 'x', over: 'e' }, 'volumes')).toEqual([201]);
      });
  });

  test(named('values that are converted keep a rule, in its fields and in its condition'), async () => {
    const url = await newUrl();
    const decimal = (scale: number) => ({ type: 'decimal', scale });
    const rules = (value: unknown) => [['row', 'place'], { fields: ['row'], where: { price: { gte: value } } }];
    const before = books({ row: text, place: text, price: decimal(2) }, rules('5'));
    const after = books({ row: decimal(2), place: text, price: decimal(3) }, rules('5'));
    await serving(url, before, (ask) =>
      add(
        ask,
        { row: '1.5', place: 'x', price: '7' },
        { row: '1.50', place: 'x', price: '4.99' },
        { row: '2', place: 'y', price: '5' },
      ),
    );
    const allowed = ['type:books.row', 'type:books.price'];
    expect(await violated(url, after)).toEqual([
      'books: row and place of records 1 and 2 are "1.50" and "x": they must be unique together',
    ]);
    await expect(migrate(url, after, allowed)).rejects.toThrow(
      'books: row and place cannot be unique together: records 1 and 2 have the same values.',
    );
    await serving(url, before, async (ask) => {
      expect((await ask('books/2', { place: 'z' }, 'PATCH')).status).toBe(200);
    });
    expect(await violated(url, after)).toEqual([]);
    await migrate(url, after, allowed);
    for (let start = 0; start < 2; start++)
      await serving(url, after, async (ask) => {
        expect(await tried(ask, { row: '2', place: 'q', price: '5' })).toEqual([409, '#/row']);
        expect(await tried(ask, { row: '2', place: `q${start}`, price: '4.999' })).toEqual([201]);
        expect(await tried(ask, { row: '1.5', place: 'z', price: '1' })).toEqual([409, '#/row', '#/place']);
      });
  });

  test(named('a rule may name a field that is added with it'), async () => {
    const url = await newUrl();
    const fields = { row: text };
    const gone = { type: 'boolean', default: false };
    const after = books({ ...fields, gone }, [{ fields: ['row'], where: { gone: false } }]);
    await serving(url, books(fields), (ask) => add(ask, { row: 'a' }, { row: 'b' }, { row: 'a' }));
    expect(await violated(url, after)).toEqual([
      'books: row of records 1 and 3 is "a": it must be unique where {"gone":false}',
    ]);
    await expect(migrate(url, after)).rejects.toThrow(
      'books: row cannot be unique where {"gone":false}: records 1 and 3',
    );
    const hidden = books({ ...fields, gone: { ...gone, default: true } }, [
      { fields: ['row'], where: { gone: false } },
    ]);
    expect(await violated(url, hidden)).toEqual([]);
    await migrate(url, hidden);
    const free = books({ ...fields, gone: { ...gone, default: true }, place: optional }, [
      { fields: ['row'], where: { gone: false } },
      ['row', 'place'],
    ]);
    // Null in every record: done at the start.
    await serving(url, free, async (ask) => {
      expect(await tried(ask, { row: 'a', place: 'x' })).toEqual([201]);
      expect(await tried(ask, { row: 'a', place: 'x' })).toEqual([409, '#/row', '#/place']);
      expect(await tried(ask, { row: 'b', gone: false })).toEqual([201]);
      expect(await tried(ask, { row: 'b', gone: false })).toEqual([409, '#/row']);
    });
  });

  test(named('another condition is another rule, and a file from before a removal adds the rule again'), async () => {
    const url = await newUrl();
    const fields = { row: text, place: text };
    const rule = (value: string) => [{ fields: ['row'], where: { place: value } }];
    await serving(url, books(fields, rule('x')), (ask) => add(ask, { row: 'a', place: 'x' }, { row: 'a', place: 'y' }));
    expect(await migrate(url, books(fields, rule('y')))).toEqual([
      'books: make row unique where {"place":"y"}',
      'books: allow equal values of row where {"place":"x"}',
    ]);
    await serving(url, books(fields, rule('y')), async (ask) => {
      expect(await tried(ask, { row: 'a', place: 'x' })).toEqual([201]);
      expect(await tried(ask, { row: 'a', place: 'y' })).toEqual([409, '#/row']);
    });
    await serving(url, books(fields), async (ask) => {
      expect(await tried(ask, { row: 'a', place: 'y' })).toEqual([201]);
    });
    await expect(migrate(url, books(fields, rule('y')))).rejects.toThrow(
      'have the same value. Change one of them first.',
    );
  });
}
