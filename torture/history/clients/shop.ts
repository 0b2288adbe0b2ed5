/** Shared by all clients of a run: the ports of the servers, the known records, and unique names. */

import type { Random } from '../../../test/support/data/random.ts';
import type { RecordBody } from '../check/change.ts';
import type { CollectionName } from './operation.ts';
import type { Recorder } from './recorder.ts';

export const collections = ['items', 'users'] as const;
/** External ids that several records have at the same time. */
const shared = [501, 502, 503, 504, 505];
/** Much higher than the ids that the servers assign in a run. */
const firstExternal = 1_000_000_000;
const maxKnown = 200;
/** In every period all clients send without pauses for a while: some errors appear only under load, others only without. */
const pace = { periodMs: 4000, rushMs: 400, calmPauseMs: 150 };

export class Shop {
  stopped = false;
  #names = 0;
  /** As an answer has shown them. They may have changed or been deleted since, which is as useful to request. */
  readonly #known: Record<CollectionName, RecordBody[]> = { items: [], users: [] };
  readonly #externals: Record<CollectionName, number[]> = { items: [1], users: [1] };
  /** The highest sequence number that an answer has shown. */
  lastSeen = 0;
  /** Records in the latest list. */
  readonly size = { items: 1, users: 1 };

  constructor(
    readonly recorder: Recorder,
    /** The ports that clients can use now. */
    readonly ports: () => readonly number[],
  ) {}

  /** The longest wait of a client before its next request. */
  get pauseMs(): number {
    return performance.now() % pace.periodMs < pace.rushMs ? 0 : pace.calmPauseMs;
  }

  name(): string {
    return `n${++this.#names}`;
  }

  /** A new external id, or one of the shared ones. */
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
    // Mostly the latest records: they probably exist, and other clients use them, too.
    const near = known.slice(-(random.chance(0.8) ? 8 : maxKnown));
    return near.length === 0 ? { id: 1, external_id: 1, name: '', version: 1 } : random.pick(near);
  }

  external(collection: CollectionName, random: Random): number {
    if (random.chance(0.2)) return random.pick(shared);
    return random.pick(this.#externals[collection].slice(-(random.chance(0.8) ? 8 : maxKnown)));
  }

  sharedExternal(random: Random): number {
    return random.pick(shared);
  }
}

function push<Value>(values: Value[], value: Value): void {
  values.push(value);
  if (values.length > 2 * maxKnown) values.splice(0, maxKnown);
}
