/** What all clients of a run share: where the servers are, which records there may be, and names that are used once. */

import type { Random } from '../../test/random.ts';
import type { RecordBody } from './change.ts';
import type { CollectionName } from './operation.ts';
import type { Recorder } from './recorder.ts';

export const collections = ['items', 'users'] as const;
/** External ids that several records have at the same time. */
const shared = [501, 502, 503, 504, 505];
/** Far above the ids that a run gives out. */
const firstExternal = 1_000_000_000;
const mostKnown = 200;
/** In every period all clients hurry for a while together: some errors show when the servers are busy, others do not. */
const pace = { periodMs: 4000, rushMs: 400, calmPauseMs: 150 };

export class Shop {
  stopped = false;
  #names = 0;
  /** As some answer has shown them: they may have changed or gone since, which is as good to ask for. */
  readonly #known: Record<CollectionName, RecordBody[]> = { items: [], users: [] };
  readonly #externals: Record<CollectionName, number[]> = { items: [1], users: [1] };
  /** The highest number of a change that an answer has shown. */
  lastSeen = 0;
  /** Records in the latest list. */
  readonly size = { items: 1, users: 1 };

  constructor(
    readonly recorder: Recorder,
    /** Where clients may connect just now. */
    readonly ports: () => readonly number[],
  ) {}

  /** How long a client waits before its next request, at most. */
  get pauseMs(): number {
    return performance.now() % pace.periodMs < pace.rushMs ? 0 : pace.calmPauseMs;
  }

  name(): string {
    return `n${++this.#names}`;
  }

  /** One that no other record has, or one of the shared. */
  newExternal(random: Random): number {
    return random.chance(0.2) ? random.pick(shared) : firstExternal + ++this.#names;
  }

  learn(collection: CollectionName, record: RecordBody): void {
    push(this.#known[collection], record);
    push(this.#externals[collection], record.external_id);
  }

  learnExternal(collection: CollectionName, external: number): void {
    push(this.#externals[collection], external);
  }

  record(collection: CollectionName, random: Random): RecordBody {
    const known = this.#known[collection];
    // Mostly the latest, which are there, and where clients meet.
    const near = known.slice(-(random.chance(0.8) ? 8 : mostKnown));
    return near.length === 0 ? { id: 1, external_id: 1, name: '', version: 1 } : random.pick(near);
  }

  external(collection: CollectionName, random: Random): number {
    if (random.chance(0.2)) return random.pick(shared);
    return random.pick(this.#externals[collection].slice(-(random.chance(0.8) ? 8 : mostKnown)));
  }

  sharedExternal(random: Random): number {
    return random.pick(shared);
  }
}

function push<Value>(values: Value[], value: Value): void {
  values.push(value);
  if (values.length > 2 * mostKnown) values.splice(0, mostKnown);
}
