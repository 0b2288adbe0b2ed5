/** The contract as a table: one row per sentence that a client can observe, grouped by section. */
import { type Client, expectJson, expectStatus, expectThat, NotObservable, parse, type Reply } from './client.ts';

export type Row = { readonly section: string; readonly sentence: string; check(client: Client): Promise<void> };

type Check = Row['check'];
type Collection = 'items' | 'users';

function section(title: string, rows: Readonly<Record<string, Check>>): Row[] {
  return Object.entries(rows).map(([sentence, check]) => ({ section: title, sentence, check }));
}

const record = (client: Client, collection: Collection, id = client.newId()) =>
  collection === 'items' ? { id, name: `item ${id}`, price: 12.5 } : { id, name: `user ${id}` };

async function created(client: Client, collection: Collection) {
  const made = record(client, collection);
  await client.create(`/api/${collection}`, made);
  return made;
}

/** A valid record with one change must be refused with 400 and a JSON body, and must not be stored. */
function refuses(collection: Collection, change: (valid: Record<string, unknown>) => unknown): Check {
  return async (client) => {
    const before = (await client.list(`/api/${collection}`)).length;
    const reply = await client.post(`/api/${collection}`, change({ ...record(client, collection) }));
    expectStatus(reply, 400);
    parse(reply);
    expectThat((await client.list(`/api/${collection}`)).length === before, 'the refused record is in the list');
  };
}

function without(field: string) {
  return (valid: Record<string, unknown>) => {
    delete valid[field];
    return valid;
  };
}

const withValue = (field: string, value: unknown) => (valid: Record<string, unknown>) => ({ ...valid, [field]: value });

/** The contract marks these as optional: a server that answers 404, 405 or 501 does not offer them. */
async function offered(client: Client, method: 'get' | 'delete'): Promise<{ id: number; reply: Reply }> {
  const { id } = await created(client, 'users');
  const reply = await client[method](`/api/users/${id}`);
  if ([404, 405, 501].includes(reply.status)) throw new NotObservable('optional, and not offered by this server');
  return { id, reply };
}

async function page(client: Client, path: string): Promise<void> {
  const reply = await client.get(path);
  expectStatus(reply, 200);
  expectThat(/^text\/html/.test(reply.headers.get('Content-Type') ?? ''), 'the answer is not an HTML page');
}

const isJson = ({ headers }: Reply) => /^application\/json\b/.test(headers.get('Content-Type') ?? '');

export const contract: readonly Row[] = [
  ...section('1. What the service does', {
    'Each collection starts with one record.': async (client) => {
      const sizes = [(await client.list('/api/items')).length, (await client.list('/api/users')).length];
      if (sizes.join() !== '1,1') throw new NotObservable('only observable on a server without writes');
    },
    'The service keeps two collections, items and users, with JSON request and response bodies.': async (client) => {
      for (const path of ['/api/items', '/api/users']) {
        const reply = await client.get(path);
        expectThat(isJson(reply), `${path} is not application/json`);
        expectThat(Array.isArray(parse(reply)), `${path} is not an array`);
      }
    },
    'Items can be listed, fetched singly by id, and created.': async (client) => {
      const item = await created(client, 'items');
      expectJson(await client.get(`/api/items/${item.id}`), item);
      expectThat(
        (await client.list('/api/items')).some(({ id }) => id === item.id),
        'the item is not in the list',
      );
    },
    'Users can be listed and created.': async (client) => {
      const user = await created(client, 'users');
      expectThat(
        (await client.list('/api/users')).some(({ id }) => id === user.id),
        'the user is not in the list',
      );
    },
    'The service is stateless: no client session is kept between requests.': async (client) => {
      const replies = [await client.get('/api/items'), await client.get('/api/items')];
      for (const { headers } of replies) expectThat(!headers.has('Set-Cookie'), 'the answer sets a cookie');
      expectThat(replies[0]?.text === replies[1]?.text, 'two equal requests got different answers');
    },
    'Interactive documentation pages are served at /docs.': (client) => page(client, '/docs'),
    'Interactive documentation pages are served at /redoc.': (client) => page(client, '/redoc'),
    'A machine-readable schema is generated from the record definitions.': async (client) => {
      const reply = await client.get('/openapi.json');
      if (reply.status === 404) throw new NotObservable('the contract does not say where it is served');
      const { paths } = parse(reply) as { paths: Record<string, unknown> };
      for (const path of ['/api/items', '/api/users']) expectThat(path in paths, `${path} is not in the schema`);
    },
  }),

  ...section('2. Resources and their fields: Item', {
    'id is an integer': refuses('items', withValue('id', 'seven')),
    'id is required': refuses('items', without('id')),
    'name is a string': refuses('items', withValue('name', ['list'])),
    'name is required': refuses('items', without('name')),
    'price is a number': refuses('items', withValue('price', 'cheap')),
    'price is required': refuses('items', without('price')),
    'price is a floating-point number': async (client) => {
      const item = { ...record(client, 'items'), price: 0.1 + 0.2 };
      expectJson(await client.post('/api/items', item), item);
      expectJson(await client.get(`/api/items/${item.id}`), item);
    },
  }),

  ...section('2. Resources and their fields: User', {
    'id is an integer': refuses('users', withValue('id', 'seven')),
    'id is required': refuses('users', without('id')),
    'name is a string': refuses('users', withValue('name', { first: 'x' })),
    'name is required': refuses('users', without('name')),
  }),

  ...section('2. Resources and their fields: Rules', {
    '1. Incoming bodies are validated against the field types.': refuses('items', () => ({
      id: null,
      name: null,
      price: null,
    })),
    '2. The id is not generated by the service.': async (client) => {
      const id = client.newId();
      expectJson(await client.post('/api/users', { id, name: 'mine' }), { id, name: 'mine' });
    },
    '2. A record whose id already exists is appended like any other.': async (client) => {
      const item = await created(client, 'items');
      const twin = { ...item, name: 'twin' };
      expectStatus(await client.post('/api/items', twin), 201);
      const both = (await client.list('/api/items')).filter(({ id }) => id === item.id);
      expectThat(Bun.deepEquals(both, [item, twin]), `the list has ${JSON.stringify(both)}`);
    },
  }),

  ...section('4. Endpoints', {
    'GET /api/items: 200, JSON array of Item': async (client) => {
      await created(client, 'items');
      for (const { id, name, price } of await client.list('/api/items')) {
        const fits = Number.isInteger(id) && typeof name === 'string' && typeof price === 'number';
        expectThat(fits, `not an Item: ${JSON.stringify({ id, name, price })}`);
      }
    },
    'GET /api/items/{item_id}: 200, one Item whose id equals item_id': async (client) => {
      const item = await created(client, 'items');
      const reply = await client.get(`/api/items/${item.id}`);
      expectStatus(reply, 200);
      expectJson(reply, item);
    },
    'GET /api/items/{item_id}: 404 when no item has that id': async (client) => {
      expectStatus(await client.get(`/api/items/${client.newId()}`), 404);
    },
    'GET /api/items/{item_id}: 400 when item_id is not an integer': async (client) => {
      for (const id of ['abc', '1.5', '1e2', 'null']) expectStatus(await client.get(`/api/items/${id}`), 400);
    },
    'POST /api/items: 201, the created Item': async (client) => {
      const item = record(client, 'items');
      const reply = await client.post('/api/items', item);
      expectStatus(reply, 201);
      expectJson(reply, item);
    },
    'POST /api/items: 400 on invalid body': refuses('items', () => []),
    'GET /api/users: 200, JSON array of User': async (client) => {
      await created(client, 'users');
      for (const { id, name } of await client.list('/api/users')) {
        expectThat(Number.isInteger(id) && typeof name === 'string', `not a User: ${JSON.stringify({ id, name })}`);
      }
    },
    'POST /api/users: 201, the created User': async (client) => {
      const user = record(client, 'users');
      const reply = await client.post('/api/users', user);
      expectStatus(reply, 201);
      expectJson(reply, user);
    },
    'POST /api/users: 400 on invalid body': refuses('users', () => []),
    'GET /api/users/{id}: optional; returns one User': async (client) => {
      const { id, reply } = await offered(client, 'get');
      expectStatus(reply, 200);
      expectJson(reply, { id, name: `user ${id}` });
    },
    'DELETE /api/users/{id}: optional; deletes one User': async (client) => {
      const { id, reply } = await offered(client, 'delete');
      expectThat(reply.status >= 200 && reply.status < 300, `expected 2xx, got ${reply.status}`);
      expectThat(!(await client.list('/api/users')).some((user) => user.id === id), 'the user is still in the list');
    },
  }),

  ...section('4. Endpoints: Rules', {
    'All bodies are JSON.': async (client) => {
      const replies = [
        await client.post('/api/items', record(client, 'items')),
        await client.get(`/api/items/${client.newId()}`),
        await client.post('/api/items', '{'),
      ];
      for (const reply of replies)
        expectThat(isJson(reply), `the body of a ${reply.status} is ${reply.headers.get('Content-Type')}`);
    },
    'Success on creation returns the record as stored.': async (client) => {
      const item = record(client, 'items');
      const { text } = await client.post('/api/items', item);
      expectJson(await client.get(`/api/items/${item.id}`), JSON.parse(text));
    },
    '1. A POST appends to the end, and a later list call returns insertion order.': async (client) => {
      const made = [];
      for (let n = 0; n < 5; n++) made.push(await created(client, 'users'));
      const last = (await client.list('/api/users')).slice(-5);
      expectThat(Bun.deepEquals(last, made), `the list ends with ${JSON.stringify(last)}`);
    },
    '2. GET /api/items/{item_id} returns the first item whose id matches.': async (client) => {
      const item = await created(client, 'items');
      await client.create('/api/items', { ...item, name: 'later' });
      expectJson(await client.get(`/api/items/${item.id}`), item);
    },
    '3. A POST body is read as JSON.': refuses('items', () => 'id=1&name=x&price=2'),
    '3. A validating deployment applies the User shape.': refuses('users', () => ({ anything: 'goes' })),
    '5. The list endpoints return the whole collection.': async (client) => {
      const before = (await client.list('/api/items')).length;
      await Promise.all(Array.from({ length: 120 }, () => created(client, 'items')));
      const after = (await client.list('/api/items')).length;
      expectThat(after >= before + 120, `expected at least ${before + 120} items, got ${after}`);
    },
  }),

  ...section('5. Authentication', {
    'The endpoints are described as open.': async (client) => {
      const replies = [await client.get('/api/items'), await client.post('/api/users', record(client, 'users'))];
      for (const { status } of replies)
        expectThat(status !== 401 && status !== 403, `got ${status} without credentials`);
    },
  }),

  ...section('7. Errors', {
    '1. The 404 on an unknown item has a single field detail holding the text Not found.': async (client) => {
      const reply = await client.get(`/api/items/${client.newId()}`);
      expectStatus(reply, 404);
      expectJson(reply, { detail: 'Not found' });
    },
    '2. Errors are returned as helpful JSON error bodies.': async (client) => {
      const replies = [await client.post('/api/items', {}), await client.get('/api/items/abc')];
      for (const reply of replies) {
        expectStatus(reply, 400);
        const body = parse(reply);
        expectThat(
          typeof body === 'object' && body !== null && reply.text.length > 10,
          `the body is only ${reply.text}`,
        );
      }
    },
  }),

  ...section('9. Versioning', {
    'The paths carry the prefix /api with no version segment.': async (client) => {
      expectStatus(await client.get('/api/items'), 200);
      expectStatus(await client.get('/api/users'), 200);
    },
  }),
];
