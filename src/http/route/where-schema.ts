/** The filter language as JSON Schema: the conditions that `where` takes for the records of one collection. */
import Type, { type TSchema } from 'typebox';
import type { Collection } from '../../domain/record/collection.ts';
import type { Field, Operator } from '../../domain/types/type.ts';
import { comparableWith } from '../../domain/where/field-path.ts';
import { betweenFields, everySearched, maxConditions, maxLevels, operatorsOf } from '../../domain/where/where.ts';

/** `self` refers to this schema: conditions contain conditions. */
export function whereSchema(collection: Collection, self: TSchema): TSchema {
  const { name, columns, references, searched } = collection;
  const filters = [...columns].flatMap(([key, { field }]) =>
    operatorsOf(field).length === 0
      ? []
      : [[key, filterSchema(field, comparableWith(collection, key).length > 0)] as const],
  );
  const words = searched.length === 0 ? {} : { [everySearched]: wordsSchema(collection) };
  const paths = references.length === 0 ? '' : ` Also paths such as ${references[0]?.field}.id.`;
  const some = Type.Array(self, { minItems: 1 });
  return Type.Unsafe({
    type: 'object',
    description: `Conditions on a record of ${name}; all must hold. Of \`any\` at least one must hold, of \`all\` each, and \`not\` holds if its conditions do not. At most ${maxLevels} levels.${paths}`,
    properties: { ...Object.fromEntries(filters), ...words, any: some, all: some, not: self },
    // Generators read no patterns of names, and there are too many paths to list.
    additionalProperties: references.length > 0,
  });
}

/** The words in any of the searched fields. */
export function wordsSchema({ searched }: Collection): TSchema {
  return Type.String({
    pattern: '^[^\\u0000]*$',
    description: `Records that have all of these words in ${searched.join(', ')}; a star at the end of a word stands for words that begin so.`,
  });
}

/** A value to be equal to, or an object of operators. */
function filterSchema(field: Field, hasOthers: boolean): TSchema {
  const operators = operatorsOf(field);
  const { schema } = field.filter;
  const members = operators.map((operator) => [operator, operandSchema(operator, schema, hasOthers)] as const);
  const byOperator = closed(Object.fromEntries(members));
  return operators.includes('eq') ? Type.Unsafe({ anyOf: [schema, byOperator] }) : byOperator;
}

function operandSchema(operator: Operator, value: TSchema, hasOthers: boolean): TSchema {
  if (operator === 'is') return Type.Unsafe({ type: 'string', enum: ['null', 'set'] });
  if (operator === 'in') return Type.Array(value, { maxItems: maxConditions });
  return hasOthers && betweenFields.includes(operator) ? Type.Unsafe({ anyOf: [value, otherField] }) : value;
}

function closed(properties: Readonly<Record<string, TSchema>>, required: readonly string[] = []): TSchema {
  const needed = required.length === 0 ? {} : { required };
  return Type.Unsafe({ type: 'object', ...needed, properties, additionalProperties: false });
}

/** Without the names: with them, the schema would grow with the square of the number of fields. */
const otherField = closed(
  { field: Type.String({ description: 'Another field of the same record and the same type.' }) },
  ['field'],
);
