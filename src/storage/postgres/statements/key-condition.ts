/** Finds the record that has the values of a unique rule. */
import type { Collection } from '../../../domain/record/collection.ts';
import type { UniqueRule } from '../../../domain/record/unique-rules.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { predicate } from '../../query-sql.ts';
import { dialect } from './table-sql.ts';

/** `object` is JSON that has the values. With the condition of the index, so that PostgreSQL can use it. */
export function keyCondition(collection: Collection, { fields, where }: UniqueRule, object: '$1' | '_given'): string {
  const conditions = fields.map(
    (field) => `${identifier(field)} = ${collection.fields[field]?.postgres.fromJson(object, field) ?? 'null'}`,
  );
  return [...conditions, ...(where === undefined ? [] : [predicate(dialect, collection, where)])].join(' and ');
}
