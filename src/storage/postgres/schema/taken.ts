/** Finds the record that is in the way of another one by a unique rule, in the function of its collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import { fieldsOfRule, type UniqueRule } from '../../../domain/record/unique-rules.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { predicate } from '../../query-sql.ts';
import { dialect } from '../statements/table-sql.ts';
import { afterUpdate, asColumn, ofNew, sent, type ValueOf } from './written-values.ts';

/** A clash as JSON text, or null. */
export function takenByNew(collection: Collection, rule: UniqueRule): string {
  return `(${found(collection, rule, ofNew(collection))} limit 1)`;
}

export function takenByUpdate(collection: Collection, rule: UniqueRule): string {
  const concerned = [...fieldsOfRule(rule)];
  // A field that is not sent is null here, and null is not unique.
  if (concerned.length === 1) return `(${found(collection, rule, sent(collection, '_given'))} and seq <> _seq limit 1)`;
  const isSent = concerned.map((field) => `_given->${literal(field)} is not null`);
  const now = afterUpdate(collection);
  return `case when ${isSent.join(' or ')} then (${found(collection, rule, now)} and seq <> _seq limit 1) end`;
}

/** With the condition of the index, so that PostgreSQL can use it. */
function found(collection: Collection, { fields, where, condition }: UniqueRule, now: ValueOf): string {
  const taken = fields.map((field) => literal(field)).join(', ');
  const among = condition === undefined ? '' : `'where', ${literal(condition)}, `;
  const equal = fields.map((field) => `${identifier(field)} = ${now(field)}`);
  const both =
    where === undefined
      ? []
      : [predicate(dialect, collection, where), predicate(dialect, collection, where, asColumn(collection, now))];
  return `select json_build_object('taken', json_build_array(${taken}), ${among}'by', seq)::text
        from ${identifier(collection.name)} where ${[...equal, ...both].join(' and ')}`;
}
