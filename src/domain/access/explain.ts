/** Which rule of a role allows an operation on a record, or refuses it, and why: for administrators, who may see all of it. */
import { matcher, type Values } from '../where/match.ts';
import { filtersIn, type Where } from '../where/where.ts';
import { isNothing, type Rights } from './rights.ts';

export type Operation = 'read' | 'update' | 'delete';

export type Explanation = {
  readonly operation: Operation;
  /** `unknown`: the rule has a path to another record, which the record alone does not show. */
  readonly allowed: boolean | 'unknown';
  readonly why: string;
};

/** `values` are those of the record by their names in the production API. `rights` is undefined for a collection without a rule. */
export function explain(role: string, rights: Rights | undefined, values: Values): readonly Explanation[] {
  if (rights?.view.sight === undefined)
    return [
      { operation: 'read', allowed: false, why: `no rule for the role ${role}: the collection does not exist for it` },
    ];
  const { view } = rights;
  const read = judged(rights, 'read', view.sight?.where, values);
  const changes = (['update', 'delete'] as const).map((operation) =>
    read.allowed === false
      ? { operation, allowed: false, why: 'the record is hidden' }
      : judged(rights, operation, rights[operation]?.where, values),
  );
  return [read, ...changes];
}

function judged({ view, role }: Rights, operation: Operation, where: Where | undefined, values: Values): Explanation {
  const rule = `the rule "${operation}" of the role ${role}`;
  if (where === undefined) return { operation, allowed: false, why: `there is no ${rule.slice(4)}` };
  if (isNothing(where))
    return {
      operation,
      allowed: false,
      why: `${rule} holds for no record: it is absent, or a claim is absent or of another type than the field`,
    };
  if (where.length === 0) return { operation, allowed: true, why: `${rule} is for every record` };
  const own = where.filter((condition) => filtersIn([condition]).every(({ via }) => via === undefined));
  const wrong = own.find((condition) => !matcher(view.collection, [condition])(values));
  if (wrong !== undefined) {
    const fields = [...new Set(filtersIn([wrong]).map(({ field }) => field))].join(', ');
    return { operation, allowed: false, why: `"where" of ${rule} does not hold: ${fields}` };
  }
  if (own.length < where.length)
    return {
      operation,
      allowed: 'unknown',
      why: `"where" of ${rule} has a path to another record; the rest of it holds`,
    };
  return { operation, allowed: true, why: `"where" of ${rule} holds` };
}
