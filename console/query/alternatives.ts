/** Filters of which one is enough. In the query they are a `where` with `any`; in a form, several conditions. */
import { compact, elementsOf, type JsonText, objectOf } from '../../src/exact/json-text.ts';
import { isNumeral } from '../../src/exact/numeral.ts';
import { columnsOf } from '../api/columns.ts';
import { type Collection, elementOf, type FieldDeclaration } from '../api/declarations.ts';
import { members, unquoted } from '../api/json.ts';
import { type Filter, isConditions } from '../api/query.ts';
import { everyWordColumn } from '../api/text-search.ts';

export function anyOf(collection: Collection, filters: readonly Filter[]): Filter {
  const columns = [...columnsOf(collection), ...everyWordColumn(collection)];
  const conditions = filters.map(({ field, operator, value }) => {
    const declared = columns.find(({ name }) => name === field)?.field ?? { type: 'text' };
    const json = operandOf(operator, value, declared);
    // Words of all fields have no operator.
    return objectOf([[field, declared.type === 'words' ? json : objectOf([[operator, json]])]]);
  });
  return { field: 'where', operator: 'json', value: objectOf([['any', `[${conditions.join(',')}]`]]) };
}

/** Undefined if the filter says something else. */
export function alternativesIn(filter: Filter): readonly Filter[] | undefined {
  if (!isConditions(filter) || filter.field !== 'where') return undefined;
  try {
    const [any, ...others] = members(filter.value);
    if (any?.[0] !== 'any' || others.length > 0) return undefined;
    const found = elementsOf(compact(any[1])).map(conditionIn);
    return found.every((one) => one !== undefined) ? found : undefined;
  } catch {
    return undefined;
  }
}

function conditionIn(json: JsonText): Filter | undefined {
  const [one, ...others] = members(json);
  if (one === undefined || others.length > 0) return undefined;
  const [field, value] = one;
  if (['any', 'all', 'not'].includes(field)) return undefined;
  if (!value.startsWith('{')) return { field, operator: 'eq', value: unquoted(value) };
  const [condition, ...more] = members(value);
  if (condition === undefined || more.length > 0 || condition[1].startsWith('{')) return undefined;
  const [operator, operand] = condition;
  return {
    field,
    operator,
    value: operand.startsWith('[') ? elementsOf(operand).map(unquoted).join(',') : unquoted(operand),
  };
}

function operandOf(operator: string, value: string, field: FieldDeclaration): JsonText {
  if (operator === 'in')
    return `[${value
      .split(',')
      .map((one) => scalar(one.trim(), field))
      .join(',')}]`;
  return operator === 'has'
    ? scalar(value, elementOf(field))
    : scalar(value, operator === 'is' ? { type: 'text' } : field);
}

function scalar(text: string, { type }: FieldDeclaration): JsonText {
  const isBare =
    (['integer', 'number', 'reference'].includes(type) && isNumeral(text)) ||
    (type === 'boolean' && /^(true|false)$/.test(text));
  return isBare ? text : JSON.stringify(text);
}
