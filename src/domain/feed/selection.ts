/** The changes that a follower asks for: all, those of one collection, or those of its records that match a filter; and as its view shows them. */
import type { Sight, View } from '../access/view.ts';
import type { Collection } from '../record/collection.ts';
import { type Where, whereText } from '../where/where.ts';
import type { Change, Changes } from './change.ts';
import { wholeTransactions } from './change.ts';
import { changeFilter, type Match } from './change-filter.ts';
import { type States, statesOf } from './change-states.ts';

/** How a change is shown: what it does to a filtered list, and to a caller that sees a part of the collection. */
export type Shown = {
  /** Absent without a filter. */
  readonly match?: Match;
  /** A record that enters the sight of the caller is created for it, and one that leaves it deleted. */
  readonly part?: { readonly type: Change['type']; readonly sight: Sight };
};

/** Undefined for a change that is not shown. `unknown`: a value that decides it is not known. */
export type ChangeView = (states: States) => Shown | 'unknown' | undefined;

export type Selection = {
  /** The same for followers that get the same changes. */
  readonly key: string;
  readonly of: Collection | undefined;
  /** It may be that changes of the collection are hidden from the follower. */
  readonly isPart: boolean;
  /** Undefined if every change of the collection is shown as it is. */
  readonly filter: ChangeView | undefined;
};

/** Of every collection, for a caller that sees everything. */
export const everyChange: Selection = { key: '', of: undefined, isPart: false, filter: undefined };

/** `where` has no paths, and neither has what the view shows. */
export function selectionOf({ collection: of, sight }: View, where?: Where): Selection {
  if (sight !== undefined)
    return { key: `${sight.key} ${keyOf(where)}`, of, isPart: true, filter: partFilter(of, sight, where) };
  if (where === undefined) return { key: of.name, of, isPart: false, filter: undefined };
  const matchOf = changeFilter(of, where);
  return {
    key: `${of.name} ${keyOf(where)}`,
    of,
    isPart: false,
    filter: (states) => {
      const match = matchOf(states);
      return match === undefined || match === 'unknown' ? match : { match };
    },
  };
}

const keyOf = (where: Where | undefined) => (where === undefined ? '' : whereText(where));

const typeOf: Readonly<Record<Match, Change['type']>> = { entered: 'created', stayed: 'updated', left: 'deleted' };

function partFilter(of: Collection, sight: Sight, where: Where | undefined): ChangeView {
  const seen = changeFilter(of, sight.where);
  const matching = where === undefined ? undefined : changeFilter(of, [...sight.where, ...where]);
  return (states) => {
    const sees = seen(states);
    if (sees === undefined || sees === 'unknown') return sees;
    const part = { type: typeOf[sees], sight };
    if (matching === undefined) return { part };
    const match = matching(states);
    return match === undefined || match === 'unknown' ? match : { match, part };
  };
}

/** A change that cannot be judged: the follower has to read the list again. */
export type Unknown = { readonly unknown: Change };

export type Matched = { readonly change: Change; readonly shown: Shown };

/** The changes that a follower gets: `Changes` of those that it asked for. With `unknown`, a change that cannot be judged, it has to read the list again. */
export type Followed = Omit<Changes, 'changes'> & { readonly found: readonly Matched[] } & Partial<Unknown>;

/** The changes that are shown, each with how. `states` are those of a change. */
export function matching(
  changes: readonly Change[],
  filter: ChangeView,
  states: (change: Change) => States = statesOf,
): readonly Matched[] | Unknown {
  const found: Matched[] = [];
  for (const change of changes) {
    const shown = filter(states(change));
    if (shown === 'unknown') return { unknown: change };
    if (shown !== undefined) found.push({ change, shown });
  }
  return found;
}

/** A page of changes that match, for a follower from whom none is hidden. A read has looked at `changes`. It ends inside a transaction only if that is larger than a page. */
export function matchingPage({ changes, more, to, isPartial }: Changes, filter: ChangeView, limit: number) {
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
