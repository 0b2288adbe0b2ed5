/** Conditions that no record can meet. It finds the plain cases: contradictions between comparisons of one field. */
import type { SetValue } from '../../domain/types/type.ts';
import { compareStored, matcher } from '../../domain/where/match.ts';
import { type Filter, type Filterable, isFilter, type Where } from '../../domain/where/where.ts';

export function neverHolds(subject: Filterable, where: Where): boolean {
  const filters = where.filter(isFilter).filter(({ other }) => other === undefined);
  if (groupsOf(filters).some((group) => isContradiction(subject, group))) return true;
  return where.some((condition) => {
    if (isFilter(condition)) return false;
    if ('not' in condition) return condition.not.length === 0;
    return condition.any.every((one) => neverHolds(subject, [...filters, ...one]));
  });
}

/** By the field that they compare. */
function groupsOf(filters: readonly Filter[]): readonly (readonly Filter[])[] {
  const keyOf = ({ field, via = [] }: Filter) => [...via.map((step) => step.field), field].join('.');
  return [...Map.groupBy(filters, keyOf).values()];
}

function isContradiction(subject: Filterable, group: readonly Filter[]): boolean {
  const states = group.filter(({ operator }) => operator === 'is').map(({ values: [state] }) => state);
  const compared = group.filter(({ operator }) => operator !== 'is');
  if (states.includes('null') && (states.includes('set') || compared.length > 0)) return true;
  const [listed] = compared.filter(({ operator }) => operator === 'eq' || operator === 'in');
  const own = compared.map(({ via: _, ...filter }) => filter);
  const target = group[0]?.via?.at(-1)?.to ?? subject;
  if (listed === undefined) return areApart(target, own);
  // Words are looked for in other fields, too.
  const holds = matcher(
    target,
    own.filter(({ operator }) => operator !== 'words'),
  );
  return !listed.values.some((value) => holds({ [listed.field]: value }));
}

/** Bounds with nothing between them. */
function areApart({ columns }: Filterable, filters: readonly Filter[]): boolean {
  const bounds = (...operators: string[]) =>
    filters
      .filter(({ operator }) => operators.includes(operator))
      .map(({ operator, values: [value] }) => ({ value: value as SetValue, isStrict: !operator.endsWith('e') }));
  return bounds('gt', 'gte').some((low) =>
    bounds('lt', 'lte').some((high) => {
      const field = columns.get(filters[0]?.field ?? '')?.field;
      if (field === undefined) return false;
      const order = compareStored(field.sqlite.bind(low.value), field.sqlite.bind(high.value));
      return order > 0 || (order === 0 && (low.isStrict || high.isStrict));
    }),
  );
}
