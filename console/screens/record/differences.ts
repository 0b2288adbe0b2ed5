/** Two changes of one record, field by field. */
import type { JsonText } from '../../../src/exact/json-text.ts';
import type { Column } from '../../api/columns.ts';
import type { Values } from './draft.ts';

export type Side = 'yours' | 'theirs';

export type Difference = {
  readonly column: Column;
  readonly yours: JsonText;
  readonly theirs: JsonText;
  /** Undefined if both have changed it: a person has to choose. */
  readonly preset: Side | undefined;
};

/** The fields in which the two differ. One that only one of them has changed is taken from there. */
export function differences(columns: readonly Column[], base: Values, changes: Values, theirs: Values): Difference[] {
  return columns.flatMap((column) => {
    const before = base.get(column.name) ?? 'null';
    const own = changes.get(column.name) ?? before;
    const other = theirs.get(column.name) ?? 'null';
    if (own === other) return [];
    const preset = own === before ? 'theirs' : other === before ? 'yours' : undefined;
    return [{ column, yours: own, theirs: other, preset }];
  });
}
