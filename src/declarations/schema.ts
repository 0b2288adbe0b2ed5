/** The JSON Schema of the configuration file: editors complete and underline by it. */
import Type, { type TSchema } from 'typebox';
import { types } from '../domain/types/all-types.ts';
import type { Clock } from '../domain/types/type.ts';
import { rolesSchema, rulesSchema } from './access/access-schema.ts';
import { maxCollections, maxFields } from './check.ts';
import { maxMessage } from './rules/check-checks.ts';
import { maxIndexFields } from './rules/check-indexes.ts';
import { maxSearched } from './rules/check-search.ts';
import { maxRules } from './rules/rule-list.ts';

const name = '^[a-z][a-z0-9_]*$';

/** `settings` are the schemas of the settings, by their names in the file. */
export function fileSchema(settings: Readonly<Record<string, TSchema>>, contract: readonly string[]): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A configuration file of Shelf',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      roles: rolesSchema,
      collections: {
        type: 'object',
        description: 'Collections of your own, by their names.',
        maxProperties: maxCollections,
        propertyNames: { pattern: name },
        additionalProperties: { anyOf: [{ $ref: '#/$defs/collection' }, { const: false }] },
      },
      access: {
        type: 'object',
        description: "Rules for the contract's collections, which are not declared here.",
        additionalProperties: false,
        properties: Object.fromEntries(contract.map((one) => [one, { $ref: '#/$defs/rules' }])),
      },
      settings: {
        type: 'object',
        description: 'Settings by their flags. A flag or an environment variable beats the file.',
        additionalProperties: false,
        properties: settings,
      },
      ...Object.fromEntries(
        contract.map((one) => [one, { type: 'boolean', description: `false: the contract's ${one} are not served.` }]),
      ),
    },
    $defs: { collection: collectionSchema, rules: rulesSchema, field: fieldSchema() },
  };
}

const uniqueFields = {
  type: 'array',
  items: { type: 'string', pattern: name },
  minItems: 1,
  maxItems: maxIndexFields,
  uniqueItems: true,
};

const uniqueRule = {
  type: 'object',
  required: ['fields'],
  additionalProperties: false,
  properties: {
    fields: uniqueFields,
    where: {
      type: 'object',
      minProperties: 1,
      description: 'The records that the rule is for, in the filter language: fields of the record itself.',
    },
  },
};

const checkRule = {
  type: 'object',
  required: ['where', 'message'],
  additionalProperties: false,
  properties: {
    where: {
      type: 'object',
      minProperties: 1,
      description: 'What holds for every record, in the filter language: fields of the record itself.',
    },
    message: {
      type: 'string',
      minLength: 1,
      maxLength: maxMessage,
      description: 'What is wrong with a record for which it does not hold, to follow the name of a field.',
    },
  },
};

const collectionSchema = {
  type: 'object',
  required: ['fields'],
  additionalProperties: false,
  properties: {
    singular: { type: 'string', pattern: name, description: 'Names one record, as in the event book.created.' },
    fields: {
      type: 'object',
      minProperties: 1,
      maxProperties: maxFields,
      propertyNames: { pattern: name },
      additionalProperties: { $ref: '#/$defs/field' },
    },
    indexes: {
      type: 'array',
      description: 'Fields, or lists of fields, that clients often sort or filter by.',
      items: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
    },
    unique: {
      type: 'array',
      description:
        'Fields whose values together no two records have; with `where`, no two records for which it holds. Null is not unique.',
      maxItems: maxRules,
      items: { anyOf: [uniqueFields, uniqueRule] },
    },
    check: {
      type: 'array',
      description: 'Conditions that every record meets after every change. A comparison with null is not true.',
      maxItems: maxRules,
      items: checkRule,
    },
    search: {
      type: 'array',
      description: 'Text fields by whose words records can be searched.',
      items: { type: 'string', pattern: name },
      minItems: 1,
      maxItems: maxSearched,
      uniqueItems: true,
    },
    shown_as: {
      type: 'string',
      pattern: name,
      description: 'The text field that names a record for people, such as where another record refers to it.',
    },
    access: { $ref: '#/$defs/rules' },
    first: { type: 'object', description: 'The record that a new collection starts with.' },
    contract: { type: 'boolean', description: "true: also the contract's routes under /api and /api/v1." },
    title: { type: 'string' },
    description: { type: 'string' },
    was: { type: 'string', pattern: name, description: 'The name that the collection had before.' },
  },
};

function fieldSchema(): object {
  const names = Object.keys(types);
  const common = {
    optional: Type.Boolean({ description: 'May be absent or null.' }),
    title: Type.String(),
    description: Type.String(),
    was: Type.String({ pattern: name, description: 'The name that the field had before.' }),
  };
  const unique = { unique: Type.Boolean({ description: 'No two records have the same value.' }) };
  const search = { search: Type.Boolean({ description: 'Records can be searched by the words of the field.' }) };
  const preset = (clock: Clock | undefined) => {
    const also = clock === undefined ? '' : `; ${JSON.stringify(clock.preset)} is the ${clock.what} of the change`;
    return Type.Unsafe<unknown>({ description: `For a body that leaves it out${also}.` });
  };
  const objects = Object.entries(types).map(([type, { about, options, canBeUnique, canBeSearched, clock }]) => ({
    type: 'object',
    description: about,
    required: ['type', ...Object.keys(options).filter((option) => options[option]?.required)],
    additionalProperties: false,
    properties: {
      type: { const: type },
      ...Object.fromEntries(Object.entries(options).map(([option, { schema }]) => [option, schema])),
      default: preset(clock),
      ...common,
      ...(canBeUnique === true ? unique : {}),
      ...(canBeSearched === true ? search : {}),
    },
  }));
  const short = names.filter((one) => Object.values(types[one]?.options ?? {}).every(({ required }) => !required));
  return { anyOf: [{ type: 'string', enum: short }, ...objects] };
}
