import { jsonSchema } from '../record/json-schema.ts';
import { type FieldType, fromJsonText, sameInPostgres } from './type.ts';

export const boolean: FieldType = {
  about: 'true or false.',
  options: {},
  canBeUnique: 'together',
  isScalar: true,
  compile: (declared) => ({
    declared,
    schema: jsonSchema.boolean(),
    example: true,
    typescript: 'boolean',
    read: (value) => (typeof value === 'boolean' ? value : { refused: 'must be true or false' }),
    // Spreadsheets and Python write TRUE and True.
    readCell(text) {
      const lower = text.toLowerCase();
      return lower === 'true' || lower === 'false' ? lower === 'true' : { refused: 'must be true or false' };
    },
    revive: (value) => value as boolean,
    encode: String,
    filter: {
      operators: ['eq', 'ne', 'in'],
      expected: 'true or false',
      schema: jsonSchema.boolean(),
      parse: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
    },
    isOrdered: true,
    sqlite: {
      column: 'integer',
      bind: (value) => (value === true ? 1 : 0),
      unbind: (value) => Number(value) === 1,
    },
    postgres: {
      ...sameInPostgres,
      column: 'boolean',
      name: 'boolean',
      fromJson: fromJsonText('boolean'),
      unbind: (value) => value === true,
    },
  }),
};
