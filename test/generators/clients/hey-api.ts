/** @hey-api/openapi-ts. */
import {
  createItemsV2,
  createItemV2,
  createUser,
  deleteItemV2,
  exportItemsV2,
  getItemV2,
  listChangesV2,
  listItemsV2,
  patchItemV2,
  replaceItemV2,
  streamChangesV2,
} from './hey-api.gen';
import { client } from './hey-api.gen/client.gen';

client.setConfig({ baseUrl: process.argv[2] ?? '' });

const made = await createItemV2({ body: { name: 'Lamp', price: 20 }, headers: { 'Idempotency-Key': 'once' } });
if (made.data === undefined) throw new Error('nothing was made');
const { id, version } = made.data;
// @ts-expect-error a field that there is not
await createItemV2({ body: { name: 'Lamp', price: 20, colour: 'red' } });

const path = { id };
await replaceItemV2({ path, body: { name: 'Desk lamp', price: 25 } });
const stale = await patchItemV2({ path, headers: { 'If-Match': `"${version}"` }, body: { price: 1 } });
const patched = await patchItemV2({ path, body: { price: 18.5 } });

const lines = new Blob(['{"name":"Desk","price":120}\n{"name":"Chair","price":45}\n']);
const bulk = await createItemsV2({ body: lines });
const query = { 'price[gte]': 18.5, 'name[in]': ['Desk lamp', 'Desk'], count: 'exact', limit: 10 } as const;
const listed = await listItemsV2({ query: { ...query, 'name[in]': [...query['name[in]']], sort: ['-price', 'name'] } });
// @ts-expect-error a field that cannot be sorted by
await listItemsV2({ query: { sort: ['colour'] } });
const names: string[] = listed.data?.data.map((row) => row.name) ?? [];

const csv = await exportItemsV2({ query: { fields: ['name', 'price'] } });
const changes = await listChangesV2({ query: { after: 0, collection: 'items' } });
const prices = changes.data?.data.flatMap((change) =>
  change.type === 'item.created' ? [change.record.price satisfies number] : [],
);
const { stream } = await streamChangesV2({ query: { after: 0, collection: 'items' }, sseMaxRetryAttempts: 1 });
const first: unknown = (await stream.next()).value;
await stream.return();
await deleteItemV2({ path });
const missing = await getItemV2({ path });
const contract = await createUser({ body: { id: 7, name: 'Grace' } });

const report = {
  made: made.response?.status,
  stale: stale.error?.type,
  price: patched.data?.price,
  created: bulk.data?.created,
  names,
  total: listed.data?.total,
  csv: String(csv.data).split('\r\n').slice(0, 2),
  prices,
  missing: missing.error?.status,
  contract: contract.data,
};
if (JSON.stringify(first) !== JSON.stringify(changes.data?.data[0])) throw new Error(`the feed said ${first}`);
process.stdout.write(JSON.stringify(report));
process.exit(0);
