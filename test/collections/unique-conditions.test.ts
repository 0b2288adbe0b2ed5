/** A condition of each type and operator: the check before a write and the index of the database agree about every value. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Plain } from '../../src/domain/record/declaration.ts';
import { plainJson } from '../../src/domain/record/plain-data.ts';
import { declared } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Case = { readonly field: object; readonly values: readonly Plain[]; readonly operators: readonly string[] };

const ordered = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];
/** The values are in their order. */
const cases: Readonly<Record<string, Case>> = {
  text: {
    field: { type: 'text' },
    values: ['', 'a\'"\\%_', 'b', 'ä'],
    operators: [...ordered, 'contains', 'starts_with'],
  },
  integer: { field: { type: 'integer' }, values: [-9223372036854775808n, -1, 9007199254740993n], operators: ordered },
  number: { field: { type: 'number' }, values: [-1e300, -0.1, 0.1, 1e21, 1.7976931348623157e308], operators: ordered },
  decimal: {
    field: { type: 'decimal', scale: 3 },
    values: ['-0.001', '0.000', '9223372036854775.807'],
    operators: ordered,
  },
  boolean: { field: { type: 'boolean' }, values: [false, true], operators: ['eq', 'ne', 'in'] },
  date: { field: { type: 'date' }, values: ['0001-01-01', '2026-11-15', '9999-12-31'], operators: ordered },
  timestamp: {
    field: { type: 'timestamp' },
    values: ['0001-01-01T00:00:00.000Z', '2026-11-15T09:30:00.001Z', '9999-12-31T23:59:59.999Z'],
    operators: ordered,
  },
  choice: { field: { type: 'choice', of: ["it's", 'b'] }, values: ["it's", 'b'], operators: ['eq', 'ne', 'in'] },
  reference: { field: { type: 'reference', to: 'targets' }, values: [1, 2], operators: ['eq', 'ne', 'in'] },
};

/** What each rule asks of the value at a place; the second value is the one to compare with. */
const holds: Readonly<Record<string, (at: number, value: Plain) => boolean>> = {
  eq: (at) => at === 1,
  ne: (at) => at !== 1,
  gt: (at) => at > 1,
  gte: (at) => at >= 1,
  lt: (at) => at < 1,
  lte: (at) => at <= 1,
  in: (at) => at <= 1,
  contains: (_, value) => String(value).includes('\'"'),
  starts_with: (_, value) => String(value).startsWith("a'"),
};

function operand(operator: string, values: readonly Plain[]): Plain {
  if (operator === 'in') return values.slice(0, 2);
  return operator === 'contains' ? '\'"' : operator === 'starts_with' ? "a'" : (values[1] ?? null);
}

const key = { type: 'text', max: 200, optional: true };

/** Each rule has a key of its own, so that one rule is tested at a time. */
function collectionOf({ field, values, operators }: Case) {
  const wheres: Record<string, Plain> = {
    ...Object.fromEntries(operators.map((one) => [one, { value: { [one]: operand(one, values) } }])),
    null: { value: { is: 'null' } },
    set: { value: { is: 'set' } },
    other: { value: { ne: { field: 'other' } } },
    negated: { not: { any: [{ value: values[1] ?? null }, { value: { is: 'null' } }] } },
  };
  const keys = Object.fromEntries(Object.keys(wheres).map((name) => [`key_${name}`, key]));
  return {
    singular: 'one',
    fields: { value: { ...field, optional: true }, other: { ...field, optional: true }, ...keys },
    unique: Object.entries(wheres).map(([name, where]) => ({ fields: [`key_${name}`], where })),
  };
}

const collections = declared({
  targets: { singular: 'target', fields: { name: 'text' } },
  ...Object.fromEntries(
    Object.entries(cases).map(([name, one]) => [name, { ...collectionOf(one), singular: `${name}_one` }]),
  ),
});

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections });
    for (const name of ['a', 'b']) await send('targets', { name });
  });
  afterAll(() => server.stop());

  const send = async (path: string, record: Plain) =>
    (await fetch(`${server.url}/api/v2/${path}`, { method: 'POST', body: plainJson(record) })).status;

  /** Whether two records with this value clash: alone, and also when both come in one bulk. */
  async function clashes(name: string, rule: string, record: { readonly [field: string]: Plain }): Promise<boolean> {
    const one = { ...record, [`key_${rule}`]: plainJson(record) };
    const both = `${plainJson(one)}\n${plainJson(one)}\n`;
    const bulk = await fetch(`${server.url}/api/v2/${name}/bulk?dry_run=true`, { method: 'POST', body: both });
    const statuses = [await send(name, one), await send(name, one)];
    expect({ rule, one, statuses, bulk: bulk.status }).toEqual(
      bulk.ok ? { rule, one, statuses: [201, 201], bulk: 200 } : { rule, one, statuses: [201, 409], bulk: 409 },
    );
    return !bulk.ok;
  }

  test.each(Object.entries(cases))('%s', async (name, { values, operators }) => {
    for (const [at, value] of values.entries()) {
      for (const operator of operators)
        expect([operator, value, await clashes(name, operator, { value })]).toEqual([
          operator,
          value,
          holds[operator]?.(at, value) ?? true,
        ]);
      expect(await clashes(name, 'null', { value })).toBe(false);
      expect(await clashes(name, 'set', { value })).toBe(true);
      expect(await clashes(name, 'negated', { value })).toBe(at !== 1);
      expect(await clashes(name, 'other', { value, other: value })).toBe(false);
      expect(await clashes(name, 'other', { value, other: values[at === 0 ? 1 : 0] ?? null })).toBe(true);
      expect(await clashes(name, 'other', { value, other: null })).toBe(false);
    }
    for (const operator of [...operators, 'set', 'negated', 'other'])
      expect(await clashes(name, operator, { value: null })).toBe(false);
    expect(await clashes(name, 'null', { value: null })).toBe(true);
  });
});
