/** Judges a record that is written by the rules that it has to meet alone, in the function of its collection. */
import type { CheckRule } from '../../../domain/record/check-rules.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { literal } from '../../../domain/sql-text.ts';
import { brokenBy } from '../../../domain/store/constraint-clash.ts';
import { predicate } from '../../query-sql.ts';
import { dialect } from '../statements/table-sql.ts';
import { asColumn, type ValueOf } from './written-values.ts';

/** A clash as JSON text, or null. A comparison with null is null. */
export function brokenByWrite(collection: Collection, rule: CheckRule, of: ValueOf): string {
  const holds = predicate(dialect, collection, rule.where, asColumn(collection, of));
  return `case when (${holds}) is not true then ${literal(JSON.stringify(brokenBy(rule, collection)))} end`;
}
