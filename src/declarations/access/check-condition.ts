/** Checks a condition of an access rule: the filter language, with values of the request. */
import type { Problem } from '../../domain/errors.ts';
import { isObject, parseJson } from '../../domain/input/json.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { fieldPath } from '../../domain/where/field-path.ts';
import { readWhere } from '../../domain/where/read-where.ts';
import type { Where } from '../../domain/where/where.ts';
import { type Mistakes, pathTo, shown } from '../mistakes.ts';
import type { Reader } from './reader.ts';
import { isRequestValue, requestValueMistake, sampleOf } from './rule-values.ts';
import { type Subject, type Subjects, targetIn } from './subjects.ts';

export type Place = { readonly subject: Subject; readonly subjects: Subjects; readonly reader: Reader };

export type Checked = {
  /** The part of the condition that is known without a request. */
  readonly fixed: Where;
  /** With a value in the place of each that only a request has. */
  readonly sampled: Where;
};

/** Undefined if there is a mistake, or no condition. */
export function checkCondition(
  where: unknown,
  { subject, subjects, reader }: Place,
  path: string,
  mistakes: Mistakes,
): Checked | undefined {
  if (where === undefined) return undefined;
  if (!isObject(where) || Object.keys(where).length === 0)
    return mistakes.add(path, `must be an object with conditions, not ${shown(where)}`);
  const count = mistakes.all.length;
  const targetOf = targetIn(subjects);
  const plain = plainJson(sampledIn(where, subject, subjects, path, mistakes));
  if (mistakes.all.length > count) return undefined;
  const add = (problems: readonly Problem[], why = '') => {
    for (const { field, at = [], message } of problems)
      mistakes.add([path, ...at, ...(field === undefined ? [] : [field])].join('.'), `${why}${message}`);
  };
  const problems: Problem[] = [];
  const sent = parseJson(plain);
  const sampled = readWhere(subject, sent, targetOf, problems);
  add(problems);
  if (problems.length > 0) return undefined;
  readWhere(subject, sent, reader.targetOf, problems);
  add(problems, `can never hold for the role ${reader.role}: a path leads only through what the role may read; `);
  if (problems.length > 0) return undefined;
  return { fixed: readWhere(subject, parseJson(plainJson(fixedIn(where))), targetOf, []), sampled };
}

/** The condition with a value for each that only a request has. */
function sampledIn(where: unknown, subject: Subject, subjects: Subjects, path: string, mistakes: Mistakes): unknown {
  if (!isObject(where)) return where;
  const entries = Object.entries(where).map(([name, value]) => {
    const place = pathTo(path, name);
    if (name === 'not') return [name, sampledIn(value, subject, subjects, place, mistakes)];
    if (name === 'all' || name === 'any') {
      const inner = Array.isArray(value)
        ? value.map((one, at) => sampledIn(one, subject, subjects, `${place}.${at}`, mistakes))
        : value;
      return [name, inner];
    }
    return [name, valueIn(name, value, subject, subjects, place, mistakes)];
  });
  return Object.fromEntries(entries);
}

function valueIn(
  name: string,
  value: unknown,
  subject: Subject,
  subjects: Subjects,
  path: string,
  mistakes: Mistakes,
): unknown {
  const found = fieldPath(subject, name, targetIn(subjects));
  const sampled = (one: unknown, place: string): unknown => {
    if (!isRequestValue(one) || 'refused' in found) return one;
    const mistake = requestValueMistake(one, found.field);
    if (mistake !== undefined) mistakes.add(place, mistake);
    return sampleOf(found.field) ?? one;
  };
  // A list of a claim.
  const listed = (one: unknown, place: string): unknown =>
    Array.isArray(one) ? one.map((each, at) => sampled(each, `${place}.${at}`)) : [sampled(one, place)];
  if (!isObject(value)) return sampled(value, path);
  const operators = Object.entries(value).map(([operator, one]) => {
    const place = pathTo(path, operator);
    const isList = operator === 'in' && (Array.isArray(one) || isRequestValue(one));
    return [operator, isList ? listed(one, place) : sampled(one, place)];
  });
  return Object.fromEntries(operators);
}

/** The condition without what depends on a request: it holds for at least as many records. */
function fixedIn(where: unknown): unknown {
  if (!isObject(where)) return where;
  const entries = Object.entries(where).flatMap(([name, value]) => {
    if (name === 'not') return dependsOnRequest(value) ? [] : [[name, value]];
    if (name === 'all' || name === 'any') return [[name, Array.isArray(value) ? value.map(fixedIn) : value]];
    if (!isObject(value)) return dependsOnRequest(value) ? [] : [[name, value]];
    const operators = Object.entries(value).filter(([, one]) => !dependsOnRequest(one));
    return operators.length === 0 ? [] : [[name, Object.fromEntries(operators)]];
  });
  return Object.fromEntries(entries);
}

function dependsOnRequest(value: unknown): boolean {
  if (isRequestValue(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(dependsOnRequest);
}
