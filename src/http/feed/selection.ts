/** The changes that a follower asks for: all, those of one collection, or those of its records that match a filter. */
import type { Change, Changes } from '../../domain/feed/change.ts';
import { wholeTransactions } from '../../domain/feed/change.ts';
import { type ChangeFilter, changeFilter, type Match } from '../../domain/feed/change-filter.ts';
import { type States, statesOf } from '../../domain/feed/change-states.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { type Where, whereText } from '../../domain/where/where.ts';

export type Selection = {
  /** The same for followers that get the same changes. */
  readonly key: string;
  readonly of: Collection | undefined;
  /** Undefined for every change of the collection. */
  readonly filter: ChangeFilter | undefined;
};

export const everything: Selection = { key: '', of: undefined, filter: undefined };

/** `where` has no paths. */
export function selectionOf(of: Collection | undefined, where?: Where): Selection {
  if (of === undefined) return everything;
  if (where === undefined) return { key: of.name, of, filter: undefined };
  return { key: `${of.name} ${whereText(where)}`, of, filter: changeFilter(of, where) };
}

/** A change that cannot be judged: the follower has to read the list again. */
export type Unknown = { readonly unknown: Change };

type Matched = { readonly change: Change; readonly match: Match };

/** The changes that match, each with what it does to the list. `states` are those of a change. */
export function matching(
  changes: readonly Change[],
  filter: ChangeFilter,
  states: (change: Change) => States = statesOf,
): readonly Matched[] | Unknown {
  const found: Matched[] = [];
  for (const change of changes) {
    const match = filter(states(change));
    if (match === 'unknown') return { unknown: change };
    if (match !== undefined) found.push({ change, match });
  }
  return found;
}

/** A page of changes that match, of which a read has looked at `changes`. It ends inside a transaction only if that is larger than a page. */
export function matchingPage({ changes, more, to, isPartial }: Changes, filter: ChangeFilter, limit: number) {
  const found = matching(changes, filter);
  if ('unknown' in found) return found;
  const next = found[limit];
  if (next === undefined) return { found, to, isPartial, more };
  const cut = wholeTransactions(
    found.slice(0, limit).map((one) => ({ ...one, transaction: one.change.transaction })),
    next.change.transaction?.first,
  );
  return { found: cut.kept, to: cut.kept.at(-1)?.change.changeNumber ?? to, isPartial: cut.isPartial, more: true };
}
