/** Finds the record that is in the way of another one by a unique rule, in the function of its collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import { fieldsOfRule, type UniqueRule } from '../../../domain/record/unique-rules.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { predicate } from '../../query-sql.ts';
import { dialect } from '../statements/table-sql.ts';

/** A clash as JSON text, or null. The record is in _value. */
export function takenByNew(collection: Collection, rule: UniqueRule): string {
  return `(${found(collection, rule, (field) => sent(collection, field, '_value'))} limit 1)`;
}

/** What is sent is in _given, and the record before the update in _old. */
export function takenByUpdate(collection: Collection, rule: UniqueRule): string {
  const concerned = [...fieldsOfRule(rule)];
  // A field that is not sent is null here, and null is not unique.
  if (concerned.length === 1)
    return `(${found(collection, rule, (field) => sent(collection, field, '_given'))} and seq <> _seq limit 1)`;
  const isSent = concerned.map((field) => `_given->${literal(field)} is not null`);
  const now = (field: string) =>
    `(case when _given->${literal(field)} is null then _old.${identifier(field)} else ${sent(collection, field, '_given')} end)`;
  return `case when ${isSent.join(' or ')} then (${found(collection, rule, now)} and seq <> _seq limit 1) end`;
}

/** With the condition of the index, so that PostgreSQL can use it. */
function found(
  collection: Collection,
  { fields, where, condition }: UniqueRule,
  now: (field: string) => string,
): string {
  const taken = fields.map((field) => literal(field)).join(', ');
  const among = condition === undefined ? '' : `'where', ${literal(condition)}, `;
  const equal = fields.map((field) => `${identifier(field)} = ${now(field)}`);
  const both =
    where === undefined
      ? []
      : [
          predicate(dialect, collection, where),
          predicate(dialect, collection, where, (field) => value(collection, field, now)),
        ];
  return `select json_build_object('taken', json_build_array(${taken}), ${among}'by', seq)::text
        from ${identifier(collection.name)} where ${[...equal, ...both].join(' and ')}`;
}

function sent({ fields }: Collection, field: string, object: string): string {
  return fields[field]?.postgres.fromJson(object, field) ?? 'null';
}

/** Compared as the column is: a text has its collation. */
function value({ fields }: Collection, field: string, now: (field: string) => string): string {
  return `((${now(field)})::${fields[field]?.postgres.column})`;
}
