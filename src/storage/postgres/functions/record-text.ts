/** Records as JSON in the functions that write them. Expressions without a query, which PL/pgSQL evaluates without planning. */
import { identifier, literal } from '../../../domain/sql-text.ts';
import { moment } from '../statements/expressions.ts';
import type { Shape } from '../statements/table-sql.ts';

/** The JSON of a new record: in a collection of the contract it has an id. */
export function recordText({ contract }: Shape, value: string, recordId: string): string {
  if (contract === undefined) return `${value}::text`;
  return `case when ${value}->'id' is null then '{"id":' || ${recordId} || ',' || substr(${value}::text, 2) else ${value}::text end`;
}

/** The record as JSON. Doubles and integers keep all their digits. */
export function recordOf({ fields }: Shape, row: '_old' | '_new' = '_old'): string {
  const members = Object.entries(fields).map(
    ([key, { postgres }], at) =>
      `${literal(`${at === 0 ? '{' : ','}${JSON.stringify(key)}:`)} || coalesce(to_json(${postgres.json(`${row}.${identifier(key)}`)})::text, 'null')`,
  );
  return `(${members.join(' || ')} || '}')`;
}

/** The members of _old that are others in _new, with the version and the time. They are compared as JSON: zero and minus zero are two values. */
export function changedMembers({ fields }: Shape): string {
  const members = Object.entries(fields).map(([key, { postgres }]) => {
    const of = (row: '_old' | '_new') => `to_json(${postgres.json(`${row}.${identifier(key)}`)})::text`;
    return `case when ${of('_old')} is distinct from ${of('_new')} then ${literal(`${JSON.stringify(key)}:`)} || coalesce(${of('_old')}, 'null') end`;
  });
  const always = [`'"version":' || _old.version`, `'"updated_at":"' || ${moment('_old.updated_at')} || '"'`];
  return `'{' || array_to_string(array[${[...members, ...always].join(', ')}], ',') || '}'`;
}
