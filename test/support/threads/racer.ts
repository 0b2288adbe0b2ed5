/** A thread of the tests of shared state: begins with all others, and counts what it was given. */
import { Buckets } from '../../../src/threads/limits/buckets.ts';
import { Shares } from '../../../src/threads/limits/shares.ts';
import { longWorkFor } from '../../../src/threads/long-work.ts';

declare const self: Worker;

export type Race = {
  readonly name: keyof typeof races;
  readonly shared: SharedArrayBuffer;
  readonly steps: number;
  /** For `takeover` and `longWork`. */
  readonly passed?: SharedArrayBuffer;
};
/** `start` and `gate`: where the threads meet, before the race and in it. */
export type Start = Race & {
  readonly start: SharedArrayBuffer;
  readonly gate: SharedArrayBuffer;
  readonly threads: number;
};

/** Requests of the clients, in the order in which all threads send them. */
export const limits = { clients: 1000, count: 50, windowMs: 1000 };
/** Clients for one set of places, of which some send a request in each round. */
export const takeovers = { clients: 61, perRound: 20 };
/** For Shares: slots, and a client for all threads. */
export const slots = { most: 64, ofOneClient: 32 };

const races = {
  /** Returns the most slots that were in use by its count, and those that it has kept. */
  shares({ shared, steps }: Race): number[] {
    const shares = new Shares<string>(slots.most, (client) => client, shared);
    const taken: number[] = [];
    for (let step = 0; step < steps; step++) {
      const slot = step % 3 === 2 ? undefined : shares.tryTake('client');
      if (slot !== undefined) taken.push(slot);
      else {
        const last = taken.pop();
        if (last !== undefined) shares.giveBack(last);
      }
    }
    return [taken.length];
  },

  /** Returns the most threads that it has seen at work, itself included. */
  longWork({ shared, steps, passed: counts = new SharedArrayBuffer(0) }: Race): number[] {
    const work = longWorkFor(shared);
    const working = new Int32Array(counts);
    let most = 0;
    for (let step = 0; step < steps; step++) {
      work.run(() => {
        most = Math.max(most, Atomics.add(working, 0, 1) + 1);
        Atomics.sub(working, 0, 1);
      });
    }
    return [most];
  },

  /** All at one moment: returns the requests of each client that have passed. */
  burst({ shared, steps }: Race): number[] {
    const { clients, count, windowMs } = limits;
    const buckets = new Buckets(shared);
    const now = 1_000_000;
    return Array.from({ length: clients }, (_, client) => {
      let passed = 0;
      for (let step = 0; step < steps; step++)
        if (buckets.take(`client ${client}`, now, windowMs / count, windowMs) <= now + windowMs) passed++;
      return passed;
    });
  },

  /**
   * In each round a bucket has one request, and all buckets of the round before are full again, so that the clients of
   * the round take places over from others while these may use them, too. Counts those of each round that have passed.
   */
  takeover({ shared, steps, passed: counts = new SharedArrayBuffer(0), gate, threads }: Start): number[] {
    const buckets = new Buckets(shared);
    const passed = new Int32Array(counts);
    const { clients, perRound } = takeovers;
    for (let round = 0; round < steps; round++) {
      meet(gate, threads, round);
      const now = 1000 + round;
      const first = Math.floor(Math.random() * perRound);
      for (let step = 0; step < perRound; step++) {
        const n = (first + step) % perRound;
        const client = (round * 7 + n * 3) % clients;
        if (buckets.take(`client ${client}`, now, 0.5, 0.5) <= now + 0.5) Atomics.add(passed, round * perRound + n, 1);
      }
    }
    return [];
  },
};

/** Waits until all threads are in this round. */
function meet(gate: SharedArrayBuffer, threads: number, round: number): void {
  const arrived = new Int32Array(gate);
  if (Atomics.add(arrived, round % 2, 1) === threads - 1) {
    Atomics.store(arrived, 1 - (round % 2), 0);
    Atomics.store(arrived, 2, round + 1);
    Atomics.notify(arrived, 2);
  }
  while (Atomics.load(arrived, 2) <= round) Atomics.wait(arrived, 2, round);
}

self.onmessage = ({ data }: MessageEvent<Start>) => {
  meet(data.start, data.threads, 0);
  self.postMessage(races[data.name](data));
};
