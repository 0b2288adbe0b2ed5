/** One step, from one seed. */

import { expect } from 'bun:test';
import type { Problem as Wrong } from '../../../src/domain/errors.ts';
import { parseJson } from '../../../src/domain/input/json.ts';
import type { Collection } from '../../../src/domain/record/collection.ts';
import { matcher } from '../../../src/domain/where/match.ts';
import { readWhere } from '../../../src/domain/where/read-where.ts';
import { Random } from '../../support/data/random.ts';
import type { Engines } from './engines.ts';
import { type Node, parsed } from './json.ts';
import { keyedBulk } from './keyed-bulk.ts';
import { type Extras, Maker } from './maker.ts';
import { invalidQuery, type Query, type Row } from './model.ts';
import { SummaryMaker } from './summary-maker.ts';
import { summarize } from './summary-model.ts';
import { TransactionMaker } from './transaction-maker.ts';
import { commit } from './transaction-model.ts';

export async function step(engines: Engines, seed: number, extras: Extras): Promise<void> {
  const { model } = engines;
  const maker = new Maker(new Random(seed), extras, model);
  const { random } = maker;
  const name = random.pick(Object.keys(model.file));
  const kind = random.weighted([
    [8, create],
    [2, replace],
    [4, patch],
    [3, remove],
    [2, bulk],
    [5, keyedBulk],
    [1, again],
    [2, get],
    [10, list],
    [6, filtered],
    [3, exported],
    [6, summarized],
    [10, transaction],
  ]);
  await kind(engines, maker, name);
}

type Step = (engines: Engines, maker: Maker, name: string) => Promise<unknown>;

const transaction: Step = async (engines, maker) => {
  const { model } = engines;
  const body = new TransactionMaker(maker, model).body();
  const key = { 'Idempotency-Key': crypto.randomUUID() };
  const request = { method: 'POST', body, ...(maker.random.chance(0.2) ? { headers: key } : {}) };
  const { undone = [], ...expected } = commit(model, body);
  await engines.ask(expected, 'transactions', request);
  for (const name of undone) await engines.renumber(name);
  // Repeated with its key, it is answered as before and not committed again.
  if (expected.status === 200 && 'headers' in request) await engines.ask(expected, 'transactions', request);
};

const ndjson = { 'Content-Type': 'application/x-ndjson' };

export const create: Step = (engines, maker, name) => {
  const body = maker.body(name, false);
  return engines.ask(engines.model.create(name, body), name, { method: 'POST', body });
};

const replace: Step = (engines, maker, name) => update(engines, maker, name, false);
const patch: Step = (engines, maker, name) => update(engines, maker, name, true);

export function update(engines: Engines, maker: Maker, name: string, isPatch: boolean) {
  const [id, body] = [maker.id(name), maker.body(name, isPatch)];
  const version = maker.random.chance(0.1) ? 1 + maker.random.below(3) : undefined;
  const headers = { 'Content-Type': 'application/json', ...(version && { 'If-Match': `"${version}"` }) };
  const method = isPatch ? 'PATCH' : 'PUT';
  return engines.ask(engines.model.update(name, id, body, isPatch, version), `${name}/${id}`, {
    method,
    body,
    headers,
  });
}

export const remove: Step = async (engines, maker, name) => {
  const id = maker.id(name);
  const version = maker.random.chance(0.1) ? 1 + maker.random.below(3) : undefined;
  const headers = version === undefined ? {} : { 'If-Match': `"${version}"` };
  const expected = engines.model.remove(name, id, version);
  await engines.ask(expected, `${name}/${id}`, { method: 'DELETE', headers });
  if (expected.isUndone) await engines.renumber(name);
};

export const bulk: Step = (engines, maker, name) => {
  const lines = Array.from({ length: maker.random.below(5) }, () =>
    maker.random.chance(0.1) ? ' ' : maker.body(name, false, true),
  );
  return addLines(engines, name, lines.join('\n'));
};

async function addLines(engines: Engines, name: string, body: string): Promise<void> {
  const expected = engines.model.bulk(name, body);
  await engines.ask(expected, name, { method: 'POST', body, headers: ndjson });
  if (expected.isUndone) await engines.renumber(name);
}

/** What was exported can be added again, with the same values. */
const again: Step = async (engines, maker, name) => {
  const filters = [['id', 'lte', String(1 + maker.random.below(3))]] as const;
  const own = Object.keys(engines.model.fieldsOf(name));
  const { text } = await whole(engines, name, { filters, sort: [], fields: own, expand: [] });
  await addLines(engines, name, text);
};

export const get: Step = (engines, maker, name) => {
  const id = maker.id(name);
  const { expand } = maker.query(name, engines.model.paths(name));
  const search = expand.length === 0 ? '' : `?expand=${expand}`;
  return engines.ask(engines.model.get(name, id, expand), `${name}/${id}${search}`);
};

function searchOf({ filters, where, sort, fields, expand }: Query): string {
  const parameter = (key: string, value: string) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
  return [
    ...filters.map(([field, operator, text]) => parameter(`${field}[${operator}]`, text)),
    ...(where === undefined ? [] : [parameter('where', where)]),
    ...(sort.length === 0 ? [] : [parameter('sort', sort.join())]),
    ...(fields === undefined ? [] : [parameter('fields', fields.join())]),
    ...(expand.length === 0 ? [] : [parameter('expand', expand.join())]),
  ].join('&');
}

/** The same JSON with its members in another order. */
function reordered(node: Node | undefined, random: Random): string {
  if (Array.isArray(node?.value)) return `[${node.value.map((one: Node) => reordered(one, random)).join()}]`;
  if (!(node?.value instanceof Map)) return node?.text ?? '';
  const members = [...(node.value as ReadonlyMap<string, Node>)].map(
    ([key, one]) => `${JSON.stringify(key)}:${reordered(one, random)}`,
  );
  return `{${random.shuffled(members).join()}}`;
}

/** The filter for a record in memory agrees with the model, too. */
function matchInMemory({ model, collections }: Engines, name: string, json: string): void {
  const collection = (wanted: string) => collections.find((one) => one.name === wanted) as Collection;
  const problems: Wrong[] = [];
  const where = readWhere(collection(name), parseJson(json), collection, problems);
  const rows = model.select(name, { filters: [], where: json, sort: [], fields: undefined, expand: [] });
  expect({ json, isRefused: problems.length > 0 }).toEqual({ json, isRefused: rows === undefined });
  if (rows === undefined) return;
  const valuesOf = (of: Collection, row: Row) => {
    const { contractId, fields } = of.record.parseStored(parseJson(model.textOf(of.name, row)));
    const own = { ...fields, id: row.id, version: row.version };
    return contractId === undefined ? own : { ...own, external_id: contractId };
  };
  const isMatch = matcher(collection(name), where, (of, recordId) => {
    const row = model.table(of.name).rows.get(recordId);
    return row && valuesOf(collection(of.name), row);
  });
  const found = [...model.table(name).rows.values()].filter((row) => isMatch(valuesOf(collection(name), row)));
  expect({ json, found: found.map(({ id }) => id).sort((one, other) => one - other) }).toEqual({
    json,
    found: rows.map(({ id }) => id),
  });
}

/** Every page of a list. */
export const list: Step = async (engines, maker, name) => {
  const { model } = engines;
  const { random } = maker;
  const query = maker.query(name, model.paths(name));
  const search = searchOf(query);
  if (query.where !== undefined) matchInMemory(engines, name, query.where);
  const rows = model.select(name, query);
  if (rows === undefined) return engines.ask(invalidQuery, `${name}?${search}`);
  const limit = random.pick([1, 2, 3, 5, 100]);
  const isCounted = random.chance(0.3);
  const more = `&limit=${limit}${isCounted ? '&count=exact' : ''}`;
  const path = `${name}?${search}${more}`;
  const total = isCounted ? `,"total":${rows.length}` : '';
  let cursors: readonly string[] = [];
  for (let from = 0; from === 0 || from < rows.length; from += limit) {
    const data = rows.slice(from, from + limit).map((row) => model.expanded(name, row, query.expand, query.fields));
    const next = from + limit < rows.length ? '"-"' : 'null';
    const expected = { status: 200, text: `{"data":[${data.join(',')}],"next_cursor":${next}${total}}` };
    const known = cursors;
    // A cursor belongs to the filter, whatever the order of its members.
    const where = query.where && reordered(parsed(query.where), random);
    const later = `${name}?${searchOf({ ...query, where })}${more}`;
    const at = (engine: number) => (from === 0 ? path : `${later}&cursor=${known[engine]}`);
    ({ cursors } = await engines.ask(expected, at));
  }
  return undefined;
};

/** Several filters alone, because a query that is refused for another reason shows nothing about its filter. */
const filtered: Step = async (engines, maker, name) => {
  const { model } = engines;
  for (let count = 0; count < 3; count++) {
    const query = { filters: [], where: maker.where(name), sort: [], fields: ['id'], expand: [] };
    matchInMemory(engines, name, query.where);
    const rows = model.select(name, query);
    const data = rows?.map((row) => model.textOf(name, row, query.fields)).join();
    const text = `{"data":[${data}],"next_cursor":null,"total":${rows?.length}}`;
    const expected = rows === undefined ? invalidQuery : { status: 200, text };
    await engines.ask(expected, `${name}?${searchOf(query)}&limit=1000&count=exact`);
  }
};

export async function whole(engines: Engines, name: string, query: Query) {
  const rows = engines.model.select(name, query);
  const text = rows?.map((row) => `${engines.model.textOf(name, row, query.fields)}\n`).join('');
  const expected = text === undefined ? invalidQuery : { status: 200, text };
  const headers = { Accept: 'application/x-ndjson' };
  return engines.ask(expected, `${name}/export?${searchOf(query)}`, { headers });
}

/** CSV has the same records as NDJSON. */
const exported: Step = async (engines, maker, name) => {
  const query = maker.query(name, []);
  const { text: lines } = await whole(engines, name, query);
  const isRefused = engines.model.select(name, query) === undefined;
  const path = `${name}${maker.random.pick(['', '/export'])}?${searchOf(query)}`;
  const expected = isRefused ? invalidQuery : { status: 200 };
  const columns = Object.entries(engines.model.columnsOf(name)).filter(([key]) => query.fields?.includes(key) ?? true);
  // They are the last columns.
  const times = columns
    .filter(([key]) => ['created_at', 'updated_at'].includes(key))
    .map(() => String.raw`[\d-]+T[\d:.]+Z`);
  const pattern = new RegExp(`(?<=^|,|\n)${times.join()}(?=\r\n)`, 'g');
  const comparable = (text: string) =>
    times.length === 0 ? text : text.replaceAll(pattern, times.map(() => '-').join());
  const { text: csv } = await engines.ask(expected, path, { headers: { Accept: 'text/csv' }, comparable });
  if (isRefused) return;
  const [head, ...records] = cellsOf(csv);
  expect(head?.map(({ text }) => text)).toEqual(columns.map(([key]) => key));
  const told = records.map((cells) =>
    cells.map(({ text, isQuoted }) => (text === '' && !isQuoted ? null : plainOf(text))),
  );
  expect(told).toEqual(
    lines
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const members = parsed(line)?.value as ReadonlyMap<string, Node>;
        return columns.map(([key, { type }]) => {
          const node = members.get(key);
          if (node === undefined || node.value === null) return null;
          return typeof node.value === 'string' && type !== 'json' ? node.value : node.text;
        });
      }),
  );
};

/** Three summaries, because one that is refused shows little. */
const summarized: Step = async (engines, maker, name) => {
  const { model } = engines;
  for (let count = 0; count < 3; count++) {
    const { query, having } = new SummaryMaker(maker, model).summary(name);
    const parameters = Object.entries({
      group: query.groups.join(),
      measures: query.measures.join(),
      having: having ?? '',
      sort: query.sort.join(),
      limit: String(query.limit ?? ''),
    }).filter(([, value]) => value !== '');
    const more = parameters.map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    const records = searchOf({ ...query, sort: [], fields: undefined, expand: [] });
    const path = `${name}/summary?${[...more, ...(records === '' ? [] : [records])].join('&')}`;
    const expected = summarize(model, name, query, having);
    await engines.ask(expected, path);
    const isCsv = expected.status === 200 && maker.random.chance(0.2);
    if (isCsv) await engines.ask({ status: 200 }, path, { headers: { Accept: 'text/csv' } });
  }
};

/** RFC 4180. */
function cellsOf(csv: string): { text: string; isQuoted: boolean }[][] {
  const rows: { text: string; isQuoted: boolean }[][] = [];
  let row: { text: string; isQuoted: boolean }[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  for (let found = cell.exec(csv); found !== null; found = cell.exec(csv)) {
    const [, inQuotes, plain = '', end] = found;
    row.push({ text: inQuotes?.replaceAll('""', '"') ?? plain, isQuoted: inQuotes !== undefined });
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** Without the apostrophe that keeps spreadsheets from running a text. */
const plainOf = (text: string) => (/^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? text.slice(1) : text);
