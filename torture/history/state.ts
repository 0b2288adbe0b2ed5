/** What is stored after each change of the feed, from the first to the last. */
import type { Change } from './change.ts';
import type { CollectionName } from './operation.ts';

/** Of each live record the change that made it what it is, in the order of ids. */
export type State = {
  /** So many changes of the feed have happened. */
  readonly position: number;
  readonly items: readonly Change[];
  readonly users: readonly Change[];
};

export const nothing: State = { position: 0, items: [], users: [] };

export function apply(state: State, change: Change): State {
  const { collection } = change;
  const before = state[collection];
  const index = indexOf(before, change.id);
  const there = before[index]?.id === change.id;
  const after = before.slice();
  if (change.type === 'deleted') after.splice(index, there ? 1 : 0);
  else after.splice(index, there ? 1 : 0, change);
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

/** Where the record with this id is, or would be. */
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

/** The states of a feed, computed as they are needed; those below a position that only grows are dropped. */
export class States {
  #from = 0;
  #kept: State[] = [nothing];

  constructor(readonly changes: readonly Change[]) {}

  /** Of a position that was not dropped. */
  at(position: number): State {
    let last = this.#kept.at(-1) ?? nothing;
    while (last.position < position) {
      const change = this.changes[last.position];
      if (change === undefined) throw new Error(`position ${position} is behind the feed`);
      last = apply(last, change);
      this.#kept.push(last);
    }
    const state = this.#kept[position - this.#from];
    if (state === undefined) throw new Error(`position ${position} was dropped`);
    return state;
  }

  dropBelow(position: number): void {
    const many = 1024;
    if (position - this.#from < many) return;
    this.at(position);
    this.#kept = this.#kept.slice(position - this.#from);
    this.#from = position;
  }
}
