/** Roles and rules in the JSON Schema of the configuration file. */
import { maxRoles } from './check-roles.ts';

const name = '^[a-z][a-z0-9_]*$';
const condition = (description: string) => ({ type: 'object', minProperties: 1, description });
const fields = (description: string) => ({
  type: 'array',
  items: { type: 'string', pattern: name },
  uniqueItems: true,
  description,
});
const where = condition(
  'The records, in the filter language. A text $caller.CLAIM, $now or $today is a value of the request.',
);
const sent = {
  fields: fields('The fields that may be sent; all if absent.'),
  set: condition('Fields that the server sets.'),
  check: condition('What holds for the record after the change, in the filter language.'),
};

function operation(properties: object): object {
  return { anyOf: [{ type: 'boolean' }, { type: 'object', additionalProperties: false, properties }] };
}

const rule = {
  anyOf: [
    { enum: ['read', 'write'] },
    {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties: {
        read: operation({ where, fields: fields('The fields that are visible; all if absent.') }),
        create: operation(sent),
        update: operation({ where, ...sent }),
        delete: operation({ where }),
      },
    },
  ],
};

export const rulesSchema = {
  type: 'object',
  description: 'What each role may do. For a role without a rule the collection does not exist.',
  additionalProperties: rule,
};

const scalar = { type: ['string', 'number', 'boolean'] };
const claim = {
  claim: { type: 'string', minLength: 1, description: 'The name of a claim, or a path such as realm_access.roles.' },
};

export const rolesSchema = {
  type: 'object',
  description: 'Roles, by their names: a token has the first one whose "from" holds.',
  minProperties: 1,
  maxProperties: maxRoles,
  propertyNames: { pattern: name },
  additionalProperties: {
    type: 'object',
    required: ['from'],
    additionalProperties: false,
    properties: {
      from: {
        anyOf: [
          { const: 'anybody', description: 'Requests without a key.' },
          { type: 'object', required: ['claim'], additionalProperties: false, properties: claim },
          {
            type: 'object',
            required: ['claim', 'equals'],
            additionalProperties: false,
            properties: { ...claim, equals: scalar },
          },
          {
            type: 'object',
            required: ['claim', 'has'],
            additionalProperties: false,
            properties: { ...claim, has: { ...scalar, description: 'In a list, or among words separated by spaces.' } },
          },
        ],
      },
    },
  },
};
