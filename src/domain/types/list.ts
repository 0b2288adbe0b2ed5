import { elementsOf } from '../../exact/json-text.ts';
import { mayLoseDigits } from '../input/json.ts';
import type { FieldDeclaration } from '../record/declaration.ts';
import { jsonSchema } from '../record/json-schema.ts';
import type { Effort } from '../record/pattern-effort.ts';
import { plainJson } from '../record/plain-data.ts';
import { jsonIn, jsonInPostgres } from './json.ts';
import { countOption } from './option.ts';
import { boundsNarrow, count, type Field, type FieldType, type Refusal } from './type.ts';

const maxElements = 10_000;

/** `typeOf` finds the type of the elements; all-types.ts has all types, and this one is among them. */
export function listOf(typeOf: (declared: FieldDeclaration) => FieldType): FieldType {
  return {
    about: 'A list of values of one type.',
    options: {
      of: {
        required: true,
        schema: jsonSchema.either(
          [jsonSchema.string(), jsonSchema.object({ type: jsonSchema.string() }, [], { additionalProperties: true })],
          {
            description: 'The type of the elements, as the name of a type or as a declaration with options.',
          },
        ),
        expected: 'a type such as "text", or a declaration such as { "type": "text", "max": 20 }',
        isRight: (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
      },
      min: countOption('Fewest elements.', 0, maxElements),
      max: countOption('Most elements.', 0, maxElements),
    },
    problems({ min, max }) {
      return Number(min ?? 0) > Number(max ?? maxElements) ? [['min', 'must not be above max']] : [];
    },
    narrows(before, after) {
      const [one, other] = [elementOf(before), elementOf(after)];
      return boundsNarrow(before, after, count) || typeOf(other).narrows?.(one, other) === true;
    },
    kept(declared) {
      const element = elementOf(declared);
      const kept = typeOf(element).kept?.(element);
      return `of ${element.type}${kept === undefined ? '' : ` (${kept})`}`;
    },
    canBeUnique: false,
    isScalar: false,
    hasElements: true,
    slowPattern(declared) {
      const element = elementOf(declared);
      return typeOf(element).slowPattern?.(element);
    },
    compile(declared) {
      const element = elementOf(declared);
      return compile(declared, typeOf(element).compile(element));
    },
  };
}

/** The declaration of the elements. */
export function elementOf({ of }: FieldDeclaration): FieldDeclaration {
  return typeof of === 'string' ? { type: of } : (of as FieldDeclaration);
}

function compile(declared: FieldDeclaration, element: Field): Field {
  const least = Number(declared.min ?? 0);
  const most = Number(declared.max ?? maxElements);

  function read(source: string, effort?: Effort): string | Refusal {
    const values = elementsIn(source);
    if (values === undefined) return { refused: 'must be a list' };
    if (values.length < least) return { refused: `must have at least ${least} elements; it has ${values.length}` };
    if (values.length > most) return { refused: `must have at most ${most} elements; it has ${values.length}` };
    const texts: string[] = [];
    for (const [index, { value, exact }] of values.entries()) {
      const one = value === null ? { refused: 'cannot be null' } : element.read(value, exact, effort);
      if (typeof one === 'object') return { refused: `element ${index} ${one.refused}` };
      texts.push(element.encode(one));
    }
    return `[${texts.join(',')}]`;
  }
  const isText = element.schema.type === 'string';

  return {
    declared,
    schema: jsonSchema.array(element.schema, {
      ...(least > 0 ? { minItems: least } : {}),
      maxItems: most,
    }),
    get example() {
      return exampleOf(element.example, least, most);
    },
    typescript: `(${element.typescript})[]`,
    takesText: true,
    read: (_, source = '', effort) => read(source, effort),
    words: element.words ?? 0,
    readCell(text, effort) {
      if (jsonIn(text) !== undefined) return read(text, effort);
      const example = plainJson(element.example === undefined ? [] : [element.example]);
      return { refused: `must be a list in JSON, such as ${example}` };
    },
    revive: (_, source = '') => source,
    encode: String,
    filter: {
      operators: ['has'],
      expected: element.filter.expected,
      schema: element.filter.schema,
      typescript: element.typescript,
      // As it is in the list: a number has one spelling there. Only zero has two, which are equal; each `has` knows the other one.
      parse: (text) => {
        const value = element.filter.parse(text);
        return value === undefined || isText ? value : element.encode(value === 0 ? 0 : value);
      },
      elements: (list) =>
        new Set(isText ? (JSON.parse(list) as string[]) : elementsOf(list).map((one) => (one === '-0' ? '0' : one))),
    },
    isOrdered: false,
    sqlite: {
      column: 'text',
      bind: (value) => value as string,
      unbind: String,
      // Numbers are compared as text: SQLite would read some doubles inexactly. Only a text can contain a comma.
      has: isText
        ? (column, parameter) => `exists (select 1 from json_each(${column}) as _each where _each.value = ${parameter})`
        : (column, parameter) => {
            const elements = `',' || substr(${column}, 2, length(${column}) - 2) || ','`;
            return `(instr(${elements}, ',' || ${parameter} || ',') > 0 or ${parameter} = '0' and instr(${elements}, ',-0,') > 0)`;
          },
    },
    postgres: {
      ...jsonInPostgres,
      parameter: 'text',
      has: (column, parameter) => {
        const isZero = isText ? '' : ` or ${parameter} = '0' and _each = '-0'`;
        return `exists (select from json_array_elements_text(${column}) as _each where _each = ${parameter}${isZero})`;
      },
    },
  };
}

/** As many as there have to be, and one if there may be one. Undefined if there is none, or they would fill pages. */
function exampleOf(element: unknown, least: number, most: number): readonly unknown[] | undefined {
  const count = Math.max(least, Math.min(most, 1));
  return count > 100 || (element === undefined && count > 0) ? undefined : Array.from({ length: count }, () => element);
}

type Element = { readonly value: unknown; readonly exact: string | undefined };

/** Undefined if the text is not a JSON array. A number that may lose digits as a double has them as sent. */
export function elementsIn(source: string): Element[] | undefined {
  const list: unknown = JSON.parse(source);
  if (!Array.isArray(list)) return undefined;
  const texts = mayLoseDigits(source) ? elementsOf(source) : [];
  return list.map((value: unknown, index) => ({ value, exact: typeof value === 'number' ? texts[index] : undefined }));
}
