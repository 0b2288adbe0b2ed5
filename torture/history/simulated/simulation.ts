/** Correct histories for the tests of the checker, with overlapping clients, lost answers and refused requests. */

import { Random } from '../../../test/support/data/random.ts';
import { changeOf } from '../check/change.ts';
import type { History } from '../check/judge.ts';
import type { CollectionName, Operation, Outcome, Request } from '../clients/operation.ts';
import { SimulatedStore } from './simulated.ts';

/** `positions` has the position of every operation that was performed. */
export type Simulation = History & { readonly positions: ReadonlyMap<Operation, number> };

type Flight = {
  readonly request: Request;
  readonly invoked: number;
  readonly plain: boolean;
  readonly fate: 'answered' | 'lost' | 'refused';
  performed: { readonly outcome: Outcome; readonly position: number } | undefined;
};

const collections = ['items', 'users'] as const;
const sharedIds = [501, 502];

export function simulate(seed: number, steps: number): Simulation {
  const random = new Random(seed);
  const store = new SimulatedStore();
  const operations: Operation[] = [];
  const positions = new Map<Operation, number>();
  const flights: (Flight | undefined)[] = [undefined, undefined, undefined, undefined];
  /** Requests whose answers were lost before they took effect. */
  let late: Flight[] = [];
  let now = 0;
  let names = 0;

  function perform(flight: Flight): void {
    const outcome = store.perform(flight.request, flight.plain);
    flight.performed = { outcome, position: store.changes.length };
  }

  function record(client: number, { request, invoked, plain, performed }: Flight, outcome: Outcome): void {
    const door = `${plain ? 'contract' : 'v2'} ${request.kind}`;
    const operation = {
      number: operations.length,
      client: `c${client}`,
      door,
      invoked,
      answered: ++now,
      request,
      outcome,
    };
    operations.push(operation);
    if (performed !== undefined) positions.set(operation, performed.position);
  }

  function answer(client: number, flight: Flight): void {
    flights[client] = undefined;
    const { fate, performed, request } = flight;
    if (fate === 'refused') record(client, flight, { kind: 'failed', why: 'refused' });
    if (fate === 'answered' && performed !== undefined) record(client, flight, performed.outcome);
    if (fate === 'lost') {
      record(client, flight, { kind: 'unknown', why: 'lost' });
      if (performed === undefined) late.push(flight);
    }
    // A retry with the same key.
    if (fate !== 'answered' && request.kind === 'create' && !flight.plain && random.chance(0.7))
      flights[client] = begin(request);
  }

  function begin(request: Request): Flight {
    const fate = random.weighted([
      [8, 'answered'],
      [1, 'lost'],
      [1, 'refused'],
    ] as const);
    return { request, invoked: ++now, plain: isPlain(request, random), fate, performed: undefined };
  }

  for (let step = 0; step < steps; step++) {
    const client = random.below(flights.length);
    const flight = flights[client];
    if (flight === undefined) flights[client] = begin(requestOf(random, store, () => `n${++names}`));
    else if (flight.performed !== undefined || flight.fate === 'refused') answer(client, flight);
    else if (flight.fate === 'lost' && random.chance(0.3)) answer(client, flight);
    else perform(flight);
    if (random.chance(0.05)) late = late.filter((one) => random.chance(0.5) || perform(one) !== undefined);
  }
  for (const [client, flight] of flights.entries()) {
    if (flight === undefined) continue;
    if (flight.performed === undefined && flight.fate === 'answered') perform(flight);
    answer(client, flight);
  }
  for (const collection of collections) {
    for (const kind of ['list', 'total'] as const) {
      const flight: Flight = {
        request: { kind, collection },
        invoked: ++now,
        plain: true,
        fate: 'answered',
        performed: undefined,
      };
      perform(flight);
      answer(0, flight);
    }
  }
  const changes = store.changes.map(changeOf);
  const received = changes.map(({ digest }) => digest);
  const half = changes[changes.length >> 1]?.changeNumber ?? 0;
  const deliveries = [
    { follower: 'follower 1', after: 0, received, resyncs: 0 },
    {
      follower: 'follower 2',
      after: 0,
      collection: 'users' as const,
      received: changes.filter(({ collection }) => collection === 'users').map(({ digest }) => digest),
      resyncs: 0,
    },
    { follower: 'puller', after: half, received: received.slice((changes.length >> 1) + 1), resyncs: 0 },
  ];
  return { operations, changes, deliveries, positions };
}

function isPlain(request: Request, random: Random): boolean {
  if (request.kind === 'create')
    return request.drafts.length === 1 && request.drafts[0]?.external !== undefined && random.chance(0.5);
  return ['first', 'list', 'remove'].includes(request.kind);
}

function requestOf(random: Random, store: SimulatedStore, name: () => string): Request {
  const collection: CollectionName = random.pick(collections);
  const live = store.records[collection];
  const target = live.length === 0 || random.chance(0.1) ? undefined : random.pick(live);
  const id = target?.id ?? 1 + random.below(30);
  const external = random.chance(0.3) ? random.pick(sharedIds) : (target?.external_id ?? 1 + random.below(30));
  const price = () => (collection === 'items' ? { price: random.below(100) } : {});
  const ifMatch = random.chance(0.5) ? { ifMatch: Math.max(1, (target?.version ?? 1) - random.below(2)) } : {};
  const moved = random.chance(0.1) ? { external: random.pick(sharedIds) } : {};
  const draft = () => ({
    name: name(),
    ...price(),
    ...(random.chance(0.6)
      ? { external: random.chance(0.3) ? random.pick(sharedIds) : 1000 + random.below(100000) }
      : {}),
  });
  return random.weighted<() => Request>([
    [live.length > 8 ? 1 : 6, () => ({ kind: 'create', collection, drafts: [draft()] })],
    [
      live.length > 8 ? 0 : 2,
      () => ({ kind: 'create', collection, drafts: Array.from({ length: 2 + random.below(3) }, draft) }),
    ],
    [
      5,
      () => ({
        kind: 'update',
        collection,
        id,
        name: name(),
        ...(random.chance(0.5) ? price() : {}),
        ...ifMatch,
        ...moved,
      }),
    ],
    [3, () => ({ kind: 'delete', collection, id, ...ifMatch })],
    [2, () => ({ kind: 'remove', collection, external })],
    [4, () => ({ kind: 'record', collection, id })],
    [2, () => ({ kind: 'version', collection, id })],
    [4, () => ({ kind: 'first', collection, external })],
    [3, () => ({ kind: 'list', collection })],
    [1, () => ({ kind: 'total', collection })],
    [
      3,
      () => ({
        kind: 'page',
        collection,
        limit: 1 + random.below(6),
        ...(random.chance(0.5) ? { after: id } : {}),
        ...(random.chance(0.3) ? { descending: true as const } : {}),
        ...(random.chance(0.2) ? { external } : {}),
      }),
    ],
    [
      3,
      () => ({
        kind: 'feed',
        after: random.chance(0.8) ? Math.max(0, store.last - random.below(10)) : 0,
        limit: 1 + random.below(20),
        ...(random.chance(0.3) ? { collection } : {}),
      }),
    ],
    [2, () => ({ kind: 'event', changeNumber: store.last })],
  ])();
}
