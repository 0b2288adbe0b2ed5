/** Why a request was slow, as far as its parameters and the declaration of its collection are certain about it. */
import type { Collection } from '../../api/declarations.ts';
import type { Sample } from '../../api/figures.ts';
import { type Filter, isConditions, parameterOf, parseQuery } from '../../api/query.ts';
import { searchedFields } from '../../api/text-search.ts';

type Request = Pick<NonNullable<Sample['slowest']>, 'method' | 'route' | 'status' | 'parameters'>;

/** No index helps them, on any engine. */
const withoutIndex: readonly string[] = ['contains', 'contains_ci', 'eq_ci', 'has', 'ne'];
/** An index of the field alone always helps them. For others, and for an index of several fields, the engine decides. */
const single: readonly string[] = ['eq', 'in'];

type Indexes = readonly (readonly string[])[];

/** Sentences; empty if nothing is known. */
export function reasonsOf(request: Request, collections: readonly Collection[]): readonly string[] {
  const [, name, action] = /^\/api\/v2\/([^/]+)(?:\/(export|bulk))?$/.exec(request.route) ?? [];
  const collection = collections.find((one) => one.name === name);
  // A request that was refused has read no records.
  if (collection === undefined || (request.status >= 400 && request.status < 500)) return [];
  if (action === 'bulk') return ['A bulk is one commit: it takes longer with each of its rows.'];
  if (request.method !== 'GET' && request.method !== 'HEAD') return [];
  return listReasons(collection, request.parameters, action === 'export');
}

function listReasons(collection: Collection, parameters: readonly string[], isExport: boolean): readonly string[] {
  const { filters } = parseQuery(parameters.map((parameter) => `${parameter}=`).join('&'));
  const indexes = indexesOf(collection);
  const isSearched = searchedFields(collection).length > 0;
  const {
    slow = [],
    unsure = [],
    fast = [],
  } = Object.groupBy(filters, (filter) => speedOf(filter, indexes, isSearched));
  const reasons: string[] = [];
  if (slow.length > 0) {
    const subject = `${named(slow)} can use no index`;
    if (fast.length > 0) reasons.push(`${subject}: each record that ${named(fast)} leaves is compared.`);
    else if (isExport || parameters.includes('count'))
      reasons.push(`${subject}: every record of ${collection.name} is looked at.`);
    else
      reasons.push(
        `${subject}: the records of ${collection.name} are looked at one by one until the page is full, and all of them if few match.`,
      );
  }
  if (unsure.length > 0 && fast.length === 0)
    reasons.push(`Whether ${named(unsure)} can use an index depends on the database and on the order.`);
  if (parameters.includes('sort'))
    reasons.push(
      `sort has to compare all records that match, unless an index has their order. ${collection.name} has an index on ${indexes.map((fields) => fields.join(' + ')).join(', ')}.`,
    );
  if (parameters.includes('count') && filters.length > 0)
    reasons.push('count goes through all records that match, not only those of the page.');
  const wouldHelp = parameters.includes('sort') || slow.some(({ operator }) => !withoutIndex.includes(operator));
  // The declarations of the contract's own collections are not in a file.
  if (wouldHelp && !collection.contract)
    reasons.push(
      `Fields that are often filtered or sorted by belong under "indexes" in the declaration of ${collection.name}.`,
    );
  return reasons;
}

function speedOf(filter: Filter, indexes: Indexes, isSearched: boolean): 'slow' | 'unsure' | 'fast' {
  const { field, operator } = filter;
  if (field === 'id') return 'fast';
  // Conditions in JSON, or on a record of another collection: the parameters do not say which indexes they can use.
  if (isConditions(filter) || field.includes('.')) return 'unsure';
  if (operator === 'words' || (field === 'words' && isSearched)) return 'fast';
  if (withoutIndex.includes(operator) || !indexes.some(([first]) => first === field)) return 'slow';
  const isAlone = indexes.some(([first, ...more]) => first === field && more.length === 0);
  return isAlone && single.includes(operator) ? 'fast' : 'unsure';
}

const named = (filters: readonly Filter[]) =>
  filters.map(({ field, operator }) => parameterOf(field, operator)).join(' and ');

/** The fields of each: those that every collection has, those of unique fields and references, and the declared ones. A rule with a condition has not all records. */
function indexesOf({ fields, indexes = [], unique = [], contract }: Collection): Indexes {
  const ofFields = Object.entries(fields).filter(([, field]) => field.unique === true || field.to !== undefined);
  const all = [
    ['id'],
    ...(contract ? [['external_id']] : []),
    ...ofFields.map(([name]) => [name]),
    ...indexes.map((one) => [one].flat()),
    ...unique.flatMap((rule) => ('fields' in rule ? (rule.where === undefined ? [rule.fields] : []) : [rule])),
  ];
  return [...new Map(all.map((one) => [one.join(), one])).values()];
}
