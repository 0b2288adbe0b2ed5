/** openapi-typescript and openapi-fetch. */
import createClient from 'openapi-fetch';
import type { paths } from './openapi-fetch.gen';

const { GET, POST, PUT, PATCH, DELETE } = createClient<paths>({ baseUrl: process.argv[2] ?? '' });

const made = await POST('/api/v2/items', { body: { name: 'Lamp', price: 20 }, headers: { 'Idempotency-Key': 'once' } });
if (made.data === undefined) throw new Error(made.error.detail);
const { id, version } = made.data;
// @ts-expect-error a record without a price
await POST('/api/v2/items', { body: { name: 'Lamp' } });

const path = { id };
await PUT('/api/v2/items/{id}', { params: { path }, body: { name: 'Desk lamp', price: 25 } });
const stale = await PATCH('/api/v2/items/{id}', {
  params: { path, header: { 'If-Match': `"${version}"` } },
  body: { price: 1 },
});
const patched = await PATCH('/api/v2/items/{id}', { params: { path }, body: { price: 18.5 } });

const bulk = await POST('/api/v2/items/bulk', {
  body: '{"name":"Desk","price":120}\n{"name":"Chair","price":45}\n',
  bodySerializer: (lines) => lines,
  headers: { 'Content-Type': 'application/x-ndjson' },
});
const listed = await GET('/api/v2/items', {
  params: {
    query: {
      'price[gte]': 18.5,
      'name[in]': ['Desk lamp', 'Desk'],
      sort: ['-price', 'name'],
      count: 'exact',
      limit: 10,
    },
  },
});
// @ts-expect-error a field that cannot be sorted by
await GET('/api/v2/items', { params: { query: { sort: ['colour'] } } });
const names: string[] = listed.data?.data.map((row) => row.name) ?? [];

const csv = await GET('/api/v2/items/export', { params: { query: { fields: ['name', 'price'] } }, parseAs: 'text' });
const changes = await GET('/api/v2/changes', { params: { query: { after: 0, collection: 'items' } } });
const prices = changes.data?.data.flatMap((change) =>
  change.type === 'item.created' ? [change.record.price satisfies number] : [],
);
await DELETE('/api/v2/items/{id}', { params: { path } });
const missing = await GET('/api/v2/items/{id}', { params: { path } });
const contract = await POST('/api/users', { body: { id: 7, name: 'Grace' } });

const report = {
  made: made.response.status,
  stale: stale.error?.type,
  price: patched.data?.price,
  created: bulk.data?.created,
  names,
  total: listed.data?.total,
  csv: csv.data?.split('\r\n').slice(0, 2),
  prices,
  missing: missing.error?.status,
  contract: contract.data,
};
process.stdout.write(JSON.stringify(report));
