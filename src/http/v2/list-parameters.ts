/** The query parameters of lists, for OpenAPI: one for each operator of each field. */
import Type, { type TSchema } from 'typebox';
import { listNames, maxSort, sortable } from '../../domain/input/query.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Operator } from '../../domain/types/type.ts';
import { everySearched, maxConditions, maxSteps, operatorsOf } from '../../domain/where/where.ts';
import type { Parameter } from '../route/operation.ts';
import { oneOf, refTo, schemaNames } from '../route/schemas.ts';
import { wordsSchema } from '../route/where-schema.ts';

const meanings: Readonly<Record<Operator, string>> = {
  eq: 'equal to this',
  ne: 'other than this',
  gt: 'greater than this',
  gte: 'this or greater',
  lt: 'less than this',
  lte: 'this or less',
  in: 'one of these, separated by commas',
  contains: 'text that contains this',
  starts_with: 'text that starts with this',
  eq_ci: 'equal to this, whatever the case',
  contains_ci: 'text that contains this, whatever the case',
  words: 'text that has all of these words; a star at the end of a word stands for words that begin so',
  has: 'a list that has this',
  is: 'null, or set',
};

/** For descriptions: the schemas of single filters cannot express it. */
const filterBounds = `All filters together have at most ${maxConditions} values.`;

/** For descriptions of lists. */
export function aboutFilters({ references }: Collection): string {
  const [reference] = references;
  if (reference === undefined) return filterBounds;
  const path = `${reference.field}.id`;
  return `${filterBounds} A path through at most ${maxSteps} references leads to a field of another record: \`${path}=7\`, \`${path}[ne]=7\`.`;
}

/** Separated by commas; a repeated parameter is accepted too. */
export function list(name: string, description: string, items: TSchema, maxItems?: number): Parameter {
  const bounds = maxItems === undefined ? { minItems: 1 } : { minItems: 1, maxItems };
  return { name, description, schema: Type.Array(items, bounds), style: 'form', explode: false };
}

/** `name=` compares for equality, `name[gte]=` by the operator in brackets. `others` are parameters that are no filters. */
export function filterParameters(collection: Collection, others: readonly string[] = listNames): Parameter[] {
  const every = {
    name: everySearched,
    description: 'Words in any of the searched fields.',
    schema: wordsSchema(collection),
  };
  const filters = [...collection.columns].flatMap(([column, { field }]) =>
    operatorsOf(field).map((operator) => {
      // A field can have the name of another parameter, such as `limit`.
      const isPlain = operator === 'eq' && !others.includes(column);
      const name = isPlain ? column : `${column}[${operator}]`;
      const description = `Where ${column} is ${meanings[operator]}.`;
      const { schema } = field.filter;
      if (operator === 'in') return list(name, `${description} ${filterBounds}`, withoutComma(schema), maxConditions);
      return { name, description, schema: operator === 'is' ? oneOf(['null', 'set']) : schema };
    }),
  );
  return collection.searched.length === 0 ? filters : [...filters, every];
}

/**
 * A string with JSON, and not a parameter with `content`: generated clients would then take an object, and send it as `[object Object]`
 * (orval) or not at all (@hey-api/openapi-ts). The named schema gives them a type for the value before it is written as JSON.
 */
export function whereParameter(collection: Collection): Parameter {
  return {
    name: 'where',
    description: `Conditions as JSON, percent-encoded, beside the other filters: any, all, not, other fields, paths. Such as \`${whereExample}\`.`,
    schema: Type.Unsafe({
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: refTo(schemaNames(collection).where),
      examples: [whereExample],
    }),
  };
}
/** Right for every collection. */
const whereExample = '{"any":[{"id":7},{"version":{"gt":1}}],"not":{"created_at":{"eq":{"field":"updated_at"}}}}';

/** Commas separate the values, so no value can contain one. */
function withoutComma(schema: TSchema): TSchema {
  const { pattern } = schema as { pattern?: string };
  return pattern === anyText ? Type.String({ pattern: '^[^\\u0000,]*$' }) : schema;
}
const anyText = '^[^\\u0000]*$';

export function sortParameter(collection: Collection): Parameter {
  const both = oneOf(sortable(collection).flatMap((column) => [column, `-${column}`]));
  return list(
    'sort',
    'Fields to sort by, in order; a minus before a field sorts it descending. Ties are sorted by id.',
    both,
    maxSort,
  );
}

export function fieldsParameter(collection: Collection): Parameter {
  return list('fields', 'The fields of each record to return; all if absent.', oneOf([...collection.columns.keys()]));
}

export const pageParameters: readonly Parameter[] = [
  {
    name: 'limit',
    description: 'At most this many records; a value above 1000 counts as 1000.',
    schema: Type.Integer({ format: 'int64', minimum: 1, default: 100 }),
  },
  {
    name: 'cursor',
    description: 'next_cursor of the previous page; keep the same filters and sort.',
    schema: Type.String(),
  },
  { name: 'count', description: 'exact adds total, the number of all matching records.', schema: oneOf(['exact']) },
];
