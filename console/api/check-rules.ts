/** Judges a record by the rules of its collection before it is sent: with the matcher of the server. */
import { type Comparable, type Comparables, matcher } from '../../src/domain/where/match.ts';
import { type Filter, fieldsIn, type Where } from '../../src/domain/where/where.ts';
import { integerOf, scaledInteger } from '../../src/exact/integer.ts';
import { elementsOf, type JsonText } from '../../src/exact/json-text.ts';
import { isDay, momentOf } from '../../src/exact/moment.ts';
import { type Collection, type Condition, elementOf, type FieldDeclaration } from './declarations.ts';

/** What is wrong, by field. A rule is left out if a field of it has no value here, or a wrong one: the server has the last word. */
export function brokenRules(
  { fields, check = [] }: Collection,
  values: ReadonlyMap<string, JsonText>,
): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  const collection: Comparables = {
    columns: new Map(Object.entries(fields).map(([name, field]) => [name, { field: comparable(field) }])),
  };
  for (const rule of check) {
    const where = whereIn(rule.where, fields);
    const names = fieldsIn(where);
    const record = Object.fromEntries(names.map((name) => [name, valueIn(values.get(name), fields[name])] as const));
    if (!isKnown(record) || matcher(collection, where)(record)) continue;
    for (const name of names) problems.set(name, [problems.get(name) ?? [], rule.message].flat().join('; '));
  }
  return problems;
}

type Value = string | number | bigint;
type Operator = Filter['operator'];

function isKnown(record: Readonly<Record<string, Value | null | undefined>>): record is Record<string, Value | null> {
  return Object.values(record).every((value) => value !== undefined);
}

/** Values are compared as `read` returns them. */
function comparable(field: FieldDeclaration): Comparable {
  const element = elementOf(field);
  return {
    sqlite: { bind: (value) => value as Value },
    filter: { elements: (list) => new Set(elementsOf(list).map((one) => String(valueIn(one, element)))) },
  };
}

function valueIn(json: JsonText | undefined, field: FieldDeclaration | undefined): Value | null | undefined {
  if (json === undefined || json === 'null') return json === undefined ? undefined : null;
  return read(json.startsWith('"') ? (JSON.parse(json) as string) : json, field);
}

function read(text: string, field: FieldDeclaration | undefined): Value | undefined {
  switch (field?.type) {
    case 'integer':
    case 'reference':
      return integerOf(text);
    case 'number':
      return Number(text);
    case 'decimal':
      return scaledInteger(text, field.scale ?? 0);
    case 'timestamp':
      return momentOf(isDay(text) ? `${text}T00:00:00Z` : text);
    default:
      return text;
  }
}

/** The server has read the condition, so it is right. */
function whereIn(condition: Condition, fields: Collection['fields']): Where {
  return Object.entries(condition).flatMap(([name, value]): Where => {
    const inner = () => (value as readonly Condition[]).map((one) => whereIn(one, fields));
    if (name === 'not') return [{ not: whereIn(value as Condition, fields) }];
    if (name === 'all') return inner().flat();
    if (name === 'any') return [{ any: inner() }];
    const operands = typeof value === 'object' ? Object.entries(value as Condition) : [['eq', value] as const];
    return operands.map(([operator, operand]) =>
      // No record has one of no values.
      Array.isArray(operand) && operand.length === 0
        ? { any: [] }
        : filterIn(name, operator as Operator, operand, fields[name]),
    );
  });
}

function filterIn(field: string, operator: Operator, operand: unknown, declared: FieldDeclaration | undefined): Filter {
  if (operator === 'is') return { field, operator, values: [String(operand)] };
  if (typeof operand === 'object' && !Array.isArray(operand))
    return { field, operator, values: [], other: (operand as { readonly field: string }).field };
  const of = operator === 'has' && declared !== undefined ? elementOf(declared) : declared;
  return { field, operator, values: [operand].flat().map((one) => read(String(one), of) ?? null) };
}
