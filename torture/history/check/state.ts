/** The stored records after each change of the feed. */

import type { CollectionName } from '../clients/operation.ts';
import type { Change } from './change.ts';

/** The latest change of each existing record, in the order of ids. */
export type State = {
  /** The number of changes that have happened. */
  readonly position: number;
  readonly items: readonly Change[];
  readonly users: readonly Change[];
};

export const nothing: State = { position: 0, items: [], users: [] };

export function apply(state: State, change: Change): State {
  const { collection } = change;
  const before = state[collection];
  const index = indexOf(before, change.id);
  const exists = before[index]?.id === change.id;
  const after = before.slice();
  if (change.type === 'deleted') after.splice(index, exists ? 1 : 0);
  else after.splice(index, exists ? 1 : 0, change);
  return { ...state, position: state.position + 1, [collection]: after };
}

export function recordIn(state: State, collection: CollectionName, id: number): Change | undefined {
  const records = state[collection];
  const found = records[indexOf(records, id)];
  return found?.id === id ? found : undefined;
}

export function firstIn(state: State, collection: CollectionName, external: number): Change | undefined {
  return state[collection].find((record) => record.external === external);
}

/** The index of the record with this id, or the index at which it would be. */
function indexOf(records: readonly Change[], id: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((records[middle]?.id ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The states of a feed, computed on demand. `dropBelow` frees the ones that are no longer needed. */
export class States {
  #from = 0;
  #kept: State[] = [nothing];

  constructor(readonly changes: readonly Change[]) {}

  /** `position` must not have been dropped. */
  at(position: number): State {
    let last = this.#kept.at(-1) ?? nothing;
    while (last.position < position) {
      const change = this.changes[last.position];
      if (change === undefined) throw new Error(`position ${position} is after the end of the feed`);
      last = apply(last, change);
      this.#kept.push(last);
    }
    const state = this.#kept[position - this.#from];
    if (state === undefined) throw new Error(`position ${position} was dropped`);
    return state;
  }

  dropBelow(position: number): void {
    const minDropped = 1024;
    if (position - this.#from < minDropped) return;
    this.at(position);
    this.#kept = this.#kept.slice(position - this.#from);
    this.#from = position;
  }
}
