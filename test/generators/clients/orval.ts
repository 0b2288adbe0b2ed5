/** orval, with its client on fetch. */
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
} from './orval.gen';

const made = await createItemV2({ name: 'Lamp', price: 20 }, { headers: { 'Idempotency-Key': 'once' } });
if (made.status !== 201) throw new Error(made.data.detail);
const { id, version } = made.data;
// @ts-expect-error a field that there is not
await createItemV2({ name: 'Lamp', price: 20, colour: 'red' });

await replaceItemV2(id, { name: 'Desk lamp', price: 25 });
const stale = await patchItemV2(id, { price: 1 }, { headers: { 'If-Match': `"${version}"` } });
const patched = await patchItemV2(id, { price: 18.5 });

const lines = new Blob(['{"name":"Desk","price":120}\n{"name":"Chair","price":45}\n']);
const bulk = await createItemsV2(lines);
const listed = await listItemsV2({
  'price[gte]': 18.5,
  'name[in]': ['Desk lamp', 'Desk'],
  sort: ['-price', 'name'],
  count: 'exact',
  limit: 10,
});
// @ts-expect-error a field that cannot be sorted by
await listItemsV2({ sort: ['colour'] });
if (listed.status !== 200) throw new Error(`answered with ${listed.status}`);
const names: string[] = listed.data.data.map((row) => row.name);

const csv = await exportItemsV2({ fields: ['name', 'price'] });
const changes = await listChangesV2({ after: 0, collection: 'items' });
if (changes.status !== 200) throw new Error(`answered with ${changes.status}`);
const prices = changes.data.data.flatMap((change) =>
  change.type === 'item.created' ? [change.record.price satisfies number] : [],
);
await deleteItemV2(id);
const missing = await getItemV2(id);
const contract = await createUser({ id: 7, name: 'Grace' });

const report = {
  made: made.status,
  stale: stale.status === 412 ? stale.data.type : undefined,
  price: patched.status === 200 ? patched.data.price : undefined,
  created: bulk.status === 201 ? bulk.data.created : undefined,
  names,
  total: listed.data.total,
  csv: csv.status === 200 ? csv.data.split('\r\n').slice(0, 2) : [],
  prices,
  missing: missing.status,
  contract: contract.data,
};
process.stdout.write(JSON.stringify(report));
