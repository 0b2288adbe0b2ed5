import type { FieldDeclaration } from '../record/declaration.ts';
import { jsonSchema } from '../record/json-schema.ts';
import { literal } from '../sql-text.ts';
import { readText, textInPostgres } from './text.ts';
import type { FieldType } from './type.ts';

const most = { choices: 1000, characters: 200 };
const isChoice = (value: unknown) =>
  typeof readText(value) === 'string' && value !== '' && (value as string).length <= most.characters;

export const choice: FieldType = {
  about: 'One of the texts in `of`.',
  options: {
    of: {
      required: true,
      schema: jsonSchema.array(jsonSchema.string({ minLength: 1, maxLength: most.characters }), {
        minItems: 1,
        maxItems: most.choices,
        uniqueItems: true,
        description: 'The values.',
      }),
      expected: `a list of 1 to ${most.choices} different texts of 1 to ${most.characters} characters`,
      isRight: (value) =>
        Array.isArray(value) &&
        value.length > 0 &&
        value.length <= most.choices &&
        value.every(isChoice) &&
        new Set(value).size === value.length,
    },
  },
  narrows: (before, after) => choicesOf(before).some((one) => !choicesOf(after).includes(one)),
  canBeUnique: true,
  longest: (declared) => Math.max(...choicesOf(declared).map(({ length }) => length)),
  isScalar: true,
  compile(declared) {
    const choices = choicesOf(declared);
    const known = new Set(choices);
    const schema = { type: 'string', enum: [...choices] };
    const read = (value: unknown) =>
      typeof value === 'string' && known.has(value) ? value : { refused: `must be one of ${choices.join(', ')}` };
    return {
      declared,
      schema,
      example: choices[0],
      typescript: choices.map((one) => JSON.stringify(one)).join(' | '),
      read,
      readCell: read,
      revive: (value) => value as string,
      encode: (value) => JSON.stringify(value),
      filter: {
        operators: ['eq', 'ne', 'in'],
        expected: `one of ${choices.join(', ')}`,
        schema,
        parse: (text) => (known.has(text) ? text : undefined),
      },
      isOrdered: true,
      sqlite: { column: 'text', isPlain: true, bind: (value) => value as string, unbind: String },
      postgres: {
        ...textInPostgres,
        check: (column) => `${column} in (${choices.map(literal).join(', ')})`,
      },
    };
  },
};

function choicesOf({ of }: FieldDeclaration): readonly string[] {
  return of as readonly string[];
}
