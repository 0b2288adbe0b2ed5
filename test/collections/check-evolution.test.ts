/** Rules that each record meets are added to records, renamed with their fields, converted and removed. */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { lastingEngines } from '../support/servers/engines.ts';
import { type Ask, type Json, migrate, plan, refusal, serving, violated } from '../support/servers/evolving.ts';

const day = { type: 'date', optional: true };
const loans = (fields: object, check?: unknown, more: object = {}) => ({
  loans: { singular: 'loan', fields, ...(check === undefined ? {} : { check }), ...more },
});
const due = (message = 'is before the day of lending') => ({ where: { due: { gte: { field: 'lent' } } }, message });

/** Adds a record, and returns the status and the pointers of the answer. */
async function tried(ask: Ask, record: Json, collection = 'loans') {
  const { status, body } = await ask(collection, record);
  return [status, ...((body.errors ?? []) as { pointer: string }[]).map(({ pointer }) => pointer)];
}

async function add(ask: Ask, ...all: Json[]) {
  for (const one of all) expect(await tried(ask, one)).toEqual([201]);
}

for (const [engine, newUrl] of lastingEngines()) {
  const named = (title: string) => `${engine}: ${title}`;
  const isPostgres = engine === 'postgres';

  test(named('a rule is added if all records meet it, and refused with the first that do not'), async () => {
    const url = await newUrl();
    const fields = { lent: day, due: day };
    const [before, after] = [loans(fields), loans(fields, [due()])];
    const late = { lent: '2026-02-01', due: '2026-01-01' };
    const right = { lent: '2026-01-01', due: '2026-02-01' };
    await serving(url, before, (ask) => add(ask, right, late, { lent: '2026-01-01' }, ...Array(4).fill(late)));
    const condition = '{"due":{"gte":{"field":"lent"}}}';
    expect(await plan(url, after)).toEqual([`check: loans: require ${condition} of each record`]);
    const is = 'due is "2026-01-01" and lent is "2026-02-01"';
    const broken = (record: number, values = is) => `loans: record ${record} does not meet ${condition}: ${values}`;
    expect(await violated(url, after)).toEqual([
      broken(2),
      broken(3, 'due is null and lent is "2026-01-01"'),
      ...[4, 5, 6].map((record) => broken(record)),
      'loans: due and lent: there are more',
    ]);
    const first = `loans cannot require ${condition}: record 2 does not meet it. Change the record first.`;
    await expect(migrate(url, after)).rejects.toThrow(first);
    if (!isPostgres) expect(await refusal(url, after)).toBe(first);
    await serving(url, before, async (ask) => {
      for (let id = 2; id <= 7; id++) expect((await ask(`loans/${id}`, right, 'PATCH')).status).toBe(200);
    });
    expect(await violated(url, after)).toEqual([]);
    expect(await migrate(url, after)).toEqual([`loans: require ${condition} of each record`]);
    await serving(url, after, async (ask) => {
      expect(await tried(ask, late)).toEqual([400, '#/due', '#/lent']);
      expect(await tried(ask, right)).toEqual([201]);
    });
    // Another message is no step. Removed, the rule loses nothing; the file from before adds it again.
    const other = loans(fields, [due('is too early')]);
    expect(await plan(url, other)).toEqual([]);
    await serving(url, other, async (ask) => {
      expect((await ask('loans', late)).body.detail).toBe('Invalid loan: due is too early; lent is too early.');
    });
    expect(await plan(url, before)).toEqual([`none: loans: no longer require ${condition}`]);
    await serving(url, before, async (ask) => expect(await tried(ask, late)).toEqual([201]));
    expect(await plan(url, after)).toEqual([`check: loans: require ${condition} of each record`]);
    await expect(migrate(url, after)).rejects.toThrow('does not meet it. Change the record first.');
  });

  if (isPostgres)
    test(named('no function of the file from before is left, also none for bulks with a key'), async () => {
      const url = await newUrl();
      const fields = { lent: { ...day, unique: true }, due: day };
      await serving(url, loans(fields), async () => {});
      await migrate(url, loans(fields, [due()]));
      await using sql = new SQL({ url, max: 1 });
      expect(await sql`select proname from pg_proc where starts_with(proname, 'shelf_keyed_')`).toHaveLength(1);
    });

  test(named('a rule follows its fields and its collection when they are renamed, and goes with a field'), async () => {
    const url = await newUrl();
    const open = {
      where: { any: [{ ended: { is: 'set' } }, { not: { due: { lt: { field: 'lent' } } } }] },
      message: 'x',
    };
    const before = loans({ lent: day, due: day, ended: day }, [open]);
    const after = {
      rents: {
        singular: 'rent',
        was: 'loans',
        fields: { since: { ...day, was: 'lent' }, until: { ...day, was: 'due' }, ended: day },
        check: [
          { where: { any: [{ ended: { is: 'set' } }, { not: { until: { lt: { field: 'since' } } } }] }, message: 'x' },
        ],
      },
    };
    await serving(url, before, (ask) => add(ask, { lent: '2026-02-01', due: '2026-01-01', ended: '2026-03-01' }));
    expect(await plan(url, after)).toEqual([
      'check: rents: rename the collection loans',
      'none: rents: name one record rent; recorded changes keep loan',
      'check: rents.since: rename the field lent',
      'check: rents.until: rename the field due',
    ]);
    await migrate(url, after);
    for (let start = 0; start < 2; start++)
      await serving(url, after, async (ask) => {
        const late = { since: '2026-02-01', until: '2026-01-01' };
        expect(await tried(ask, late, 'rents')).toEqual([400, '#/ended', '#/until', '#/since']);
        expect(await tried(ask, { ...late, ended: '2026-03-01' }, 'rents')).toEqual([201]);
      });
    const less = { rents: { ...after.rents, fields: { since: day, ended: day }, check: undefined } };
    const condition = '{"any":[{"ended":{"is":"set"}},{"not":{"until":{"lt":{"field":"since"}}}}]}';
    expect(await plan(url, less)).toEqual([
      'loss: rents.until: remove the field, with its values',
      `none: rents: no longer require ${condition}`,
    ]);
    await migrate(url, less, ['drop:rents.until']);
    await serving(url, less, async (ask) => expect(await tried(ask, { since: '2026-02-01' }, 'rents')).toEqual([201]));
  });

  test(named('values that are converted meet a rule, and those of a field that is added with it'), async () => {
    const url = await newUrl();
    const text = { type: 'text', max: 20 };
    const rule = (value: unknown) => [{ where: { price: { gte: value } }, message: 'is too low' }];
    const before = loans({ price: text }, rule('5'));
    const after = loans({ price: { type: 'decimal', scale: 2 } }, rule('5'));
    await serving(url, before, (ask) => add(ask, { price: '7' }, { price: '50' }));
    expect(await violated(url, after)).toEqual([]);
    await serving(url, before, async (ask) => {
      // Texts have another order.
      expect(await tried(ask, { price: '10' })).toEqual([400, '#/price']);
    });
    const higher = loans({ price: { type: 'decimal', scale: 2 } }, rule('8'));
    expect(await violated(url, higher)).toEqual([
      'loans: record 1 does not meet {"price":{"gte":"8"}}: price is "7.00"',
    ]);
    await migrate(url, after, ['type:loans.price']);
    const most = [{ where: { price: { lte: '5' } }, message: 'is too high' }];
    const other = await newUrl();
    await serving(other, loans({ price: text }, most), (ask) => add(ask, { price: '4' }, { price: '10' }));
    const converted = loans({ price: { type: 'decimal', scale: 1 } }, most);
    expect(await violated(other, converted)).toEqual([
      'loans: record 2 does not meet {"price":{"lte":"5"}}: price is "10.0"',
    ]);
    await expect(migrate(other, converted, ['type:loans.price'])).rejects.toThrow('record 2 does not meet it');
    const dated = (preset: string, least: string) =>
      loans({ price: { type: 'decimal', scale: 2 }, day: { type: 'date', default: preset } }, [
        ...rule('5'),
        { where: { day: { gte: least } }, message: 'is too early' },
      ]);
    expect(await violated(url, dated('2026-01-01', '2026-01-02'))).toEqual([
      'loans: record 1 does not meet {"day":{"gte":"2026-01-02"}}: day is "2026-01-01"',
      'loans: record 2 does not meet {"day":{"gte":"2026-01-02"}}: day is "2026-01-01"',
    ]);
    await expect(migrate(url, dated('2026-01-01', '2026-01-02'))).rejects.toThrow('record 1 does not meet it');
    expect(await violated(url, dated('$today', '2026-01-02'))).toEqual([]);
    expect(await violated(url, dated('$today', '9998-01-02'))).toHaveLength(2);
    await migrate(url, dated('$today', '2026-01-02'));
    await serving(url, dated('$today', '2026-01-02'), async (ask) => {
      expect(await tried(ask, { price: '5' })).toEqual([201]);
      expect(await tried(ask, { price: '5', day: '2026-01-01' })).toEqual([400, '#/day']);
      expect(await tried(ask, { price: '4.99' })).toEqual([400, '#/price']);
    });
  });
}
