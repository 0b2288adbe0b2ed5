/** Filters as query parameters: `price[gte]=5`, and `where` with JSON. */

import { Failure, type Problem, withProblems } from '../errors.ts';
import { parseJson } from '../input/json.ts';
import { invalidParameter as invalid, unknownParameter } from '../input/parameters.ts';
import type { Collection } from '../record/collection.ts';
import type { Operator } from '../types/type.ts';
import { fieldPath, type TargetOf } from './field-path.ts';
import { readWhere } from './read-where.ts';
import { type Filter, maxFolded, operatorsOf, type Where } from './where.ts';

/** `others` are parameters that are no filters. Throws `invalid_query`. */
export function readFilter(
  collection: Collection,
  [name, text]: readonly [name: string, text: string],
  targetOf: TargetOf,
  others: readonly string[],
): Filter {
  const [, key = '', operator = 'eq'] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(name) ?? [];
  const path = fieldPath(collection, key, targetOf);
  if ('refused' in path)
    throw key.includes('.')
      ? new Failure('invalid_query', { detail: `Invalid query parameter ${name}: ${path.refused}.` })
      : unknownParameter(name, [...others, ...collection.columns.keys()]);
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
  if (operator.endsWith('_ci') && text.length > maxFolded) throw invalid(name, `at most ${maxFolded} characters`, text);
  return { ...filter, values };
}

/** Throws `invalid_query`. */
export function readWhereParameter(collection: Collection, text: string, targetOf: TargetOf): Where {
  try {
    parseJson(text);
  } catch {
    throw invalid('where', 'JSON, percent-encoded, such as {"title":"Ficciones"}', text);
  }
  const problems: Problem[] = [];
  const where = readWhere(collection, text, targetOf, problems);
  if (problems.length > 0) throw withProblems('invalid_query', 'Invalid query parameter where', 'it', problems);
  return where;
}
