/** Bulks with a key: random ones, and what the model says about them. */
import type { Engines } from './engines.ts';
import { type Node, parsed } from './json.ts';
import type { Maker } from './maker.ts';
import { clashed, type Expected, failed, invalidQuery, type Model, type Rule } from './model.ts';
import { jsonOf, ruleOf } from './transaction-reader.ts';
import { kindOf, type Value } from './types.ts';

type Values = ReadonlyMap<string, Value | null>;
type Clash = Parameters<typeof clashed>[0][number];

const headers = { 'Content-Type': 'application/x-ndjson' };
/** The server sets them, and a bulk ignores them. */
const ignored = ['id', 'version'];

export async function keyedBulk(engines: Engines, maker: Maker, name: string): Promise<void> {
  const { model } = engines;
  const { random } = maker;
  const rules = model.rulesOf(name);
  const fields = rules.length === 0 || random.chance(0.02) ? ['version'] : random.pick(rules).fields;
  const lines = linesOf(model, maker, name, fields);
  const isDry = random.chance(0.1);
  const key = random.chance(0.2) ? { 'Idempotency-Key': crypto.randomUUID() } : {};
  const path = `${name}/bulk?key=${random.shuffled(fields).join()}${isDry ? '&dry_run=true' : ''}`;
  const request = { method: 'POST', body: lines.join('\n'), headers: { ...headers, ...key } };
  const rule = ruleOf(model, name, fields);
  if (rule === undefined) {
    await engines.ask(invalidQuery, path, request);
    return;
  }
  const { isUndone, ...expected } = store(model, name, rule, lines, isDry);
  await engines.ask(expected, path, request);
  if (isUndone) await engines.renumber(name);
  if (expected.status === 201 && 'Idempotency-Key' in key) await engines.ask(expected, path, request);
}

/** Some have the key of a record that exists, or of an earlier line. */
function linesOf(model: Model, maker: Maker, name: string, fields: readonly string[]): string[] {
  const { random } = maker;
  const known: Values[] = [...model.table(name).rows.values()].map(({ values }) => values);
  return Array.from({ length: random.below(6) }, () => {
    if (random.chance(0.05)) return ' ';
    const body = maker.body(name, random.chance(0.5), true, random.chance(0.05));
    const node = parsed(body);
    if (!(node?.value instanceof Map) || random.chance(0.03)) return body;
    const members = new Map(node.value as ReadonlyMap<string, Node>);
    const same = known.length > 0 && random.chance(0.6) ? random.pick(known) : undefined;
    for (const field of fields) {
      const one = model.fieldsOf(name)[field] ?? { type: 'integer' };
      const value = same?.get(field) ?? null;
      const text = value === null ? maker.right(one) : kindOf(one).write(value, one);
      const given = parsed(text);
      if (given !== undefined) members.set(field, given);
    }
    const line = jsonOf(members).replaceAll('\n', ' ');
    const values = model.read(name, line, true, ignored);
    if (typeof values !== 'string') known.push(values);
    return line;
  });
}

/** `isUndone`: PostgreSQL may have given out numbers before it undid the bulk. */
function store(
  model: Model,
  name: string,
  rule: Rule,
  lines: readonly string[],
  isDry: boolean,
): Expected & { readonly isUndone?: true } {
  const sent = lines
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, line }) => ({ line, values: read(model, name, rule, text) }));
  if (sent.length === 0) return failed(400, 'malformed-json');
  const wrong = sent.find(({ values }) => typeof values === 'string');
  if (wrong !== undefined) return failed(400, String(wrong.values));
  const before = { table: model.table(name), rows: new Map(model.table(name).rows), changes: model.feed.length };
  const { last } = before.table;
  const clashes: Clash[] = [];
  let updated = 0;
  for (const { line, values } of sent) {
    if (typeof values === 'string') continue;
    const found = clashesOf(model, name, rule, values);
    for (const clash of found.clashes) clashes.push({ ...clash, line });
    if (found.clashes.length === 0 && found.isUpdate) updated++;
  }
  const now = model.table(name).last;
  const created = now - last;
  const undo = () => {
    model.tables.set(name, { last, rows: before.rows });
    model.feed.length = before.changes;
  };
  if (clashes.length > 0) {
    undo();
    const [first] = clashes;
    const expected = clashed(clashes);
    return { ...expected, status: first?.type === 'invalid-body' ? 400 : 409, isUndone: true };
  }
  if (isDry) {
    undo();
    const text = `{"dry_run":true,"valid":${created + updated},"created":${created},"updated":${updated}}`;
    return { status: 200, text, isUndone: true };
  }
  const ids = created === 0 ? [null, null] : [last + 1, now];
  return { status: 201, text: `{"created":${created},"updated":${updated},"first_id":${ids[0]},"last_id":${ids[1]}}` };
}

function read(model: Model, name: string, { fields }: Rule, text: string): Values | string {
  const values = model.read(name, text, true, ignored);
  if (typeof values === 'string') return values;
  if (fields.some((field) => (values.get(field) ?? null) === null)) return 'invalid-body';
  const unknown = Object.keys(model.fieldsOf(name)).filter((field) => !values.has(field));
  return model.broken(name, { id: 0, version: 0, values: new Map(values) }, unknown).length > 0
    ? 'invalid-body'
    : values;
}

/** Stores the record if nothing is in the way. */
function clashesOf(model: Model, name: string, rule: Rule, values: Values) {
  const row = [...model.table(name).rows.values()].find(
    (one) => rule.isFor(one) && rule.fields.every((field) => one.values.get(field) === values.get(field)),
  );
  if (row !== undefined) {
    const clashes = model.clashes(name, values, row.id);
    const { id, version } = row;
    if (clashes.length === 0)
      model.put(name, 'updated', { id, version: version + 1, values: new Map([...row.values, ...values]) });
    return { clashes, isUpdate: true };
  }
  const { whole, lacking } = model.completed(name, values);
  if (lacking.length > 0)
    return { clashes: lacking.map((field): Clash => ({ field, type: 'invalid-body' })), isUpdate: false };
  const clashes = model.clashes(name, whole, 0);
  if (clashes.length === 0) model.add(name, whole);
  return { clashes, isUpdate: false };
}
