/** Random requests to every operation of the OpenAPI document, which must declare each answer: status, type and shape. */
import Schema from 'typebox/schema';
import type { Attack } from './attacks.ts';
import { ask, inParallel } from './sockets.ts';

type Parameter = { readonly name: string; readonly in: 'path' | 'query' | 'header'; readonly schema: object };
type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;
type Operation = {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
};

const texts = [
  '',
  'Widget',
  '0',
  '-1',
  '1.5',
  '1e400',
  'null',
  'true',
  '"quoted"',
  "'; drop table items; --",
  '<b>x</b>',
  '\u0000',
  '\ud800',
  '💥',
  '../..',
  '%',
  ',',
];
const numbers = [
  '0',
  '1',
  '2',
  '-1',
  '7',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '1e3',
  '00012',
  '9'.repeat(400),
];
const values: unknown[] = [
  null,
  true,
  0,
  -0.5,
  1e308,
  2 ** 53,
  '',
  'x',
  '\u0000',
  '💥',
  [],
  {},
  [[1]],
  { a: { b: 1 } },
];
const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'starts_with', 'like', ''];

const pick = <Value>(from: readonly Value[]): Value => from[Math.floor(Math.random() * from.length)] as Value;
const chance = (share: number) => Math.random() < share;

/** A value that is valid, almost valid, or of another kind. */
function argument({ name, schema }: Parameter): string {
  const [example] = (schema as { examples?: unknown[] }).examples ?? [];
  if (chance(0.4)) return String(example ?? pick(numbers));
  if (name === 'sort') return pick(['price', '-price,name', 'id', 'nope', ',', '-']);
  if (name === 'fields') return pick(['id', 'id,name', 'nope', '']);
  return pick([...texts, ...numbers]);
}

function bodyOf(content: Content): { readonly type: string; readonly text: string } {
  const [type, { example = {} }] = pick(Object.entries(content));
  const given: unknown = typeof example === 'string' ? JSON.parse(example.split('\n')[0] ?? '{}') : example;
  const record: Record<string, unknown> = { ...(given as object) };
  for (const key of Object.keys(record)) {
    if (chance(0.2)) record[key] = pick(values);
    if (chance(0.1)) delete record[key];
  }
  if (chance(0.1)) record[pick(['id', 'version', 'nope', '__proto__', 'constructor'])] = pick(values);
  const line = chance(0.05)
    ? pick(['', '{', '[]', 'null', '7', '"x"', '{"id":1,}', '\ufeff{}'])
    : JSON.stringify(record);
  return {
    type: chance(0.9) ? type : pick(['text/plain', 'application/json; charset=x', '']),
    text: type.includes('ndjson') ? `${line}\n${line}` : line,
  };
}

function request(path: string, method: string, { parameters = [], requestBody, responses }: Operation) {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let target = path;
  for (const parameter of parameters) {
    const value = argument(parameter);
    if (parameter.in === 'path') target = target.replace(/\{\w+\}/, encodeURIComponent(value.toWellFormed()) || '0');
    else if (parameter.in === 'header' && chance(0.3)) headers[parameter.name] = value.replace(/[^!-~]/g, '') || '"1"';
    else if (parameter.in === 'query' && chance(0.25)) {
      query.append(chance(0.3) ? `${parameter.name}[${pick(operators)}]` : parameter.name, value.toWellFormed());
    }
  }
  if (chance(0.05)) query.append('nope', '1');
  const types = Object.keys(responses[200]?.content ?? {});
  if (chance(0.1)) headers.Accept = pick([...types, '*/*', 'image/png']);
  const body = requestBody === undefined ? undefined : bodyOf(requestBody.content);
  if (body !== undefined && body.type !== '') headers['Content-Type'] = body.type;
  return {
    url: `${target}${query.size === 0 ? '' : `?${query}`}`,
    init: { method: method.toUpperCase(), headers, ...(body === undefined ? {} : { body: body.text }) },
  };
}

export const declared: Attack = async (url, size) => {
  const document = (await (await ask(`${url}/openapi.json`)).json()) as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const shapes = new Map<object, ReturnType<typeof Schema.Compile>>();
  function fits(schema: object, value: unknown): boolean {
    const shape = shapes.get(schema) ?? Schema.Compile({ ...schema, components: document.components });
    shapes.set(schema, shape);
    return shape.Check(value);
  }

  const complaints: string[] = [];
  await inParallel(size * 2, 8, async () => {
    const { path, method, operation } = pick(operations);
    const { url: target, init } = request(path, method, operation);
    const what = `${init.method} ${target} ${JSON.stringify(init)}`.slice(0, 400);
    const answer = await ask(url + target, init);
    // The live feed never ends.
    const live = answer.headers.get('Content-Type') === 'text/event-stream';
    const text = live ? '' : await answer.text();
    if (live) await answer.body?.cancel();
    const response = operation.responses[answer.status];
    if (response === undefined || answer.status >= 500) {
      complaints.push(`${what}: unexpected status ${answer.status}`);
      return;
    }
    if (text === '') return;
    const [type = ''] = (answer.headers.get('Content-Type') ?? '').split(';');
    const content = response.content?.[type];
    if (content === undefined) complaints.push(`${what}: status ${answer.status} has the undeclared type ${type}`);
    else if (/[/+]json$/.test(type) && !fits(content.schema, JSON.parse(text))) {
      complaints.push(`${what}: the body does not match its schema: ${text.slice(0, 200)}`);
    }
  });
  return complaints;
};
