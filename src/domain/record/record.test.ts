/** The OpenAPI schema of a record, and bodies that are not an object; the rest is tested with the routes. */
import { expect, test } from 'bun:test';
import { items } from '../../collections/items.ts';
import { Failure } from '../errors.ts';
import { parseJson } from '../input/json.ts';
import { collection } from './collection.ts';

test('the schema of a record has the format of each member that the server sets', () => {
  const { schema } = items.record;
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

test('a default is in the schema of a draft alone, and a description in all', () => {
  const { record } = collection('books', {
    singular: 'book',
    fields: {
      lent: { type: 'boolean', description: 'Not in the house.', default: false },
      old: { type: 'boolean', description: 'By the printer.', optional: true },
      new: { type: 'boolean', optional: true },
    },
  });
  const lent = { type: 'boolean', description: 'Not in the house.' };
  const anyOf = [{ type: 'boolean' }, { type: 'null' }];
  const optional = { old: { anyOf, description: 'By the printer.' }, new: { anyOf } };
  expect(record.draftSchema.properties).toEqual({ lent: { ...lent, default: false }, ...optional });
  expect(record.patchSchema.properties).toEqual({ lent, ...optional });
  expect(record.schema.properties).toMatchObject({ lent, ...optional });
  expect(record.schema.properties).not.toHaveProperty('lent.default');
});

test.each(['null', '7', '"text"', 'true', '[]', '[{}]'])(
  'the body %s is refused, for a record and for a patch',
  (body) => {
    const { parse, parsePatch } = items.record;
    for (const read of [parse, parsePatch]) {
      let thrown: unknown;
      try {
        read(parseJson(body));
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(Failure);
      expect(thrown).toMatchObject({
        code: 'invalid_body',
        problems: [{ field: undefined, message: 'must be a JSON object' }],
      });
    }
  },
);
