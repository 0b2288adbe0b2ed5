import { collection } from '../domain/record/collection.ts';

export const items = collection('items', {
  singular: 'item',
  fields: { name: { type: 'text' }, price: { type: 'number' } },
  first: { name: 'Widget', price: 9.99 },
  contract: { operations: ['fetch'], id: 'item_id' },
});
