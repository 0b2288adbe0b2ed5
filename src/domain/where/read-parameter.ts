/** Filters as query parameters: `price[gte]=5`, and `where` with JSON. */

import { type Problem, withProblems } from '../errors.ts';
import { type ParsedText, parseJson } from '../input/json.ts';
import {
  InvalidParameter,
  invalidParameter as invalid,
  type Parameters,
  unknownParameter,
} from '../input/parameters.ts';
import type { Collection } from '../record/collection.ts';
import type { Operator } from '../types/type.ts';
import { fieldPath, filterNames, operatorOfValue, type TargetOf, wordsFilter } from './field-path.ts';
import { readWhere } from './read-where.ts';
import { excessIn, type Filter, maxFolded, operatorsOf, type Where } from './where.ts';

/**
 * The conditions of a query: `filters` are its parameters that are filters, `json` is its `where`, and `others` are the names of all others. Throws
 * `invalid_query`, with the valid values in its detail, and `forbidden` if a path leads to records that the caller may not read.
 */
export function readConditions(
  collection: Collection,
  filters: Parameters,
  json: string | undefined,
  targetOf: TargetOf,
  others: readonly string[],
): Where {
  // Most pages have none.
  if (filters.length === 0 && json === undefined) return [];
  const where: Filter[] = [];
  for (const parameter of filters) addFilter(where, readFilter(collection, parameter, targetOf, others));
  const all: Where = json === undefined ? where : [...where, ...readWhereParameter(collection, json, targetOf)];
  const excess = excessIn(all);
  if (excess !== undefined)
    throw invalid('filters', `at most ${excess.most} ${excess.what} together`, String(excess.found));
  return all;
}

/** Values of `in` can be repeated, as many client libraries do. */
export function addFilter(filters: Filter[], filter: Filter): void {
  const pathOf = ({ via = [], field }: Filter) => [...via.map((step) => step.field), field].join('.');
  const same =
    filter.operator === 'in' ? filters.findIndex((one) => one.operator === 'in' && pathOf(one) === pathOf(filter)) : -1;
  const before = filters[same];
  if (before === undefined) filters.push(filter);
  else filters[same] = { ...filter, values: [...before.values, ...filter.values] };
}

/** Throws `invalid_query`. */
export function readFilter(
  collection: Collection,
  [name, text]: readonly [name: string, text: string],
  targetOf: TargetOf,
  others: readonly string[],
): Filter {
  const [, key = '', given] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(name) ?? [];
  const path = fieldPath(collection, key, targetOf);
  if ('refused' in path)
    throw key.includes('.')
      ? new InvalidParameter(name, path.refused, `Invalid query parameter ${name}: ${path.refused}.`)
      : unknownParameter(name, [...others, ...filterNames(collection)]);
  const operator = given ?? operatorOfValue(path.field);
  const operators = operatorsOf(path.field);
  if (!operators.includes(operator as Operator)) {
    throw operators.length === 0
      ? invalid(name, `no filter: ${key} has none`, operator)
      : invalid(name, `an operator of ${key} (${operators.join(', ')})`, operator);
  }
  const { key: field, via } = path;
  const filter = { field, operator: operator as Operator, ...(via === undefined ? {} : { via }) };
  if (operator === 'is') {
    if (text !== 'null' && text !== 'set') throw invalid(name, 'null or set', text);
    return { ...filter, values: [text] };
  }
  const texts = operator === 'in' ? text.split(',') : [text];
  const values = texts.map((one) => {
    const value = path.field.filter.parse(one);
    if (value === undefined) throw invalid(name, path.field.filter.expected, one.toWellFormed());
    return value;
  });
  if (operator === 'words') return wordsFilter(path, String(values[0]));
  if (operator.endsWith('_ci') && text.length > maxFolded) throw invalid(name, `at most ${maxFolded} characters`, text);
  return { ...filter, values };
}

/** Throws `invalid_query`. */
function readWhereParameter(collection: Collection, text: string, targetOf: TargetOf): Where {
  let sent: ParsedText;
  try {
    sent = parseJson(text);
  } catch {
    throw invalid('where', 'JSON, percent-encoded, such as {"title":"Ficciones"}', text);
  }
  const problems: Problem[] = [];
  const where = readWhere(collection, sent, targetOf, problems);
  if (problems.length > 0) throw withProblems('invalid_query', 'Invalid query parameter where', 'it', problems);
  return where;
}
