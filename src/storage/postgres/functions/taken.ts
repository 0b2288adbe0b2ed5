/** Finds the record that is in the way of another one by a unique rule, in the function of its collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import { fieldsOfRule, type UniqueRule } from '../../../domain/record/unique-rules.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { predicate } from '../../query-sql.ts';
import { dialect } from '../statements/table-sql.ts';
import { asColumn, ofNew } from './written-values.ts';

/** A clash as JSON text, or null. */
export function takenByNew(collection: Collection, rule: UniqueRule): string {
  return `(${found(collection, rule)} limit 1)`;
}

/** What is sent is in _given. */
export function takenByUpdate(collection: Collection, rule: UniqueRule): string {
  const isSent = [...fieldsOfRule(rule)].map((field) => `_given->${literal(field)} is not null`);
  return `case when ${isSent.join(' or ')} then (${found(collection, rule)} and seq <> _seq limit 1) end`;
}

/** With the condition of the index, so that PostgreSQL can use it. */
function found(collection: Collection, { fields, where, condition }: UniqueRule): string {
  const taken = fields.map((field) => literal(field)).join(', ');
  const among = condition === undefined ? '' : `'where', ${literal(condition)}, `;
  const equal = fields.map((field) => `${identifier(field)} = ${ofNew(field)}`);
  const both =
    where === undefined
      ? []
      : [predicate(dialect, collection, where), predicate(dialect, collection, where, asColumn(collection, ofNew))];
  return `select json_build_object('taken', json_build_array(${taken}), ${among}'by', seq)::text
        from ${identifier(collection.name)} where ${[...equal, ...both].join(' and ')}`;
}
