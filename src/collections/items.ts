import { collection } from '../domain/collection.ts';
import { number, text } from '../domain/field.ts';

export const items = collection({
  name: 'items',
  singular: 'item',
  fields: { name: text(), price: number() },
  first: { id: 1n, name: 'Widget', price: 9.99 },
  operations: ['fetch'],
  idParameter: 'item_id',
});
