import { collection } from '../domain/record/collection.ts';

export const users = collection('users', {
  singular: 'user',
  fields: { name: { type: 'text' } },
  first: { name: 'Ada Lovelace' },
  contract: { operations: ['fetch', 'delete'], id: 'id' },
});
