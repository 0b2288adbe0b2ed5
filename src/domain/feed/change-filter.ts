/** Which changes concern the records that match a filter, and what each does to the list of them. */
import type { Collection } from '../record/collection.ts';
import { matcher } from '../where/match.ts';
import type { TextForms } from '../where/text-forms.ts';
import { fieldsIn, type Where } from '../where/where.ts';
import type { KnownValues, States } from './change-states.ts';

/** What a change does to a filtered list: the record is in it from now on, stays in it with other values, or is no longer in it. */
export type Match = 'entered' | 'stayed' | 'left';

/** Undefined for a change of a record that matches neither before nor after it. `unknown`: a value that decides it is not known. */
export type ChangeFilter = (states: States) => Match | 'unknown' | undefined;

/** `where` has no paths. */
export function changeFilter(collection: Collection, where: Where): ChangeFilter {
  const matches = matcher(collection, where);
  const needed = fieldsIn(where);
  function isIn(values: KnownValues | undefined, forms: TextForms): boolean | undefined {
    if (values === undefined) return false;
    return needed.every((field) => field in values) ? matches(values, forms) : undefined;
  }
  return ({ before, after, forms }) => {
    const [was, is] = [isIn(before, forms), isIn(after, forms)];
    if (was === undefined || is === undefined) return 'unknown';
    if (is) return was ? 'stayed' : 'entered';
    return was ? 'left' : undefined;
  };
}
