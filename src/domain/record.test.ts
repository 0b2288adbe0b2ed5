/** A record as OpenAPI describes it; what it takes and answers is tested with the routes. */
import { expect, test } from 'bun:test';
import { items } from '../collections/items.ts';
import { recordShape } from './record.ts';

test('the schema of a record has the format of each member that the server sets', () => {
  const { schema } = recordShape(items);
  expect(schema).toMatchObject({
    required: ['id', 'external_id', 'name', 'price', 'version', 'created_at', 'updated_at'],
    properties: {
      id: { type: 'integer', format: 'int64', minimum: 1 },
      version: { type: 'integer', format: 'int64', minimum: 1 },
      created_at: { type: 'string', format: 'date-time' },
      updated_at: { type: 'string', format: 'date-time' },
    },
  });
});
