/** The index that would help a list: for administrators who ask why it is slow. */
import type { Order } from '../input/query.ts';
import type { Collection } from '../record/collection.ts';
import { wholeRules } from '../record/unique-rules.ts';
import { directFilters, type Where } from './where.ts';

const single: readonly string[] = ['eq', 'in'];
const ranges: readonly string[] = ['gt', 'gte', 'lt', 'lte'];
/** More fields are rarely worth their room. */
const most = 3;

/** The fields that are compared with values, then the one that is sorted by or has a range. Undefined if no index helps, or there is one. */
export function indexToDeclare(
  collection: Collection,
  where: Where,
  sort: readonly Order[],
): readonly string[] | undefined {
  const { declaration, indexes, unique } = collection;
  if (directFilters(where).some(({ operator }) => operator === 'words')) return undefined;
  const canHave = (field: string) =>
    Object.hasOwn(declaration.fields, field) && collection.columns.get(field)?.field.isOrdered === true;
  const filters = directFilters(where).filter(({ field }) => canHave(field));
  const equal = filters.filter(({ operator }) => single.includes(operator)).map(({ field }) => field);
  const [order] = sort.map(({ field }) => field).filter(canHave);
  const [range] = filters.filter(({ operator }) => ranges.includes(operator)).map(({ field }) => field);
  const [last] = [order, range].filter((field) => field !== undefined);
  const wanted = [...new Set([...equal, ...(last === undefined ? [] : [last])])].slice(0, most);
  const has = (index: readonly string[]) => wanted.every((field, at) => index[at] === field);
  const whole = wholeRules(unique);
  const isThere =
    [...indexes, ...whole].some(has) || whole.some((rule) => rule.every((field) => equal.includes(field)));
  return wanted.length === 0 || isThere ? undefined : wanted;
}
