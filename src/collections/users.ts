import { collection } from '../domain/collection.ts';
import { text } from '../domain/field.ts';

export const users = collection({
  name: 'users',
  singular: 'user',
  fields: { name: text() },
  first: { id: 1n, name: 'Ada Lovelace' },
  operations: ['fetch', 'delete'],
  idParameter: 'id',
});
