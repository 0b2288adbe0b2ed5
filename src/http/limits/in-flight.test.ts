import { expect, test } from 'bun:test';
import { newProcessState } from '../../threads/process-state.ts';
import { Load } from '../../wire/load.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import type { Context } from '../route/context.ts';
import { InFlight } from './in-flight.ts';

const get = { method: 'GET', peer: { address: '', overLimit: false }, body: { done: true } } as unknown as Incoming;
const context = () => ({ slot: undefined }) as unknown as Context;
const from = (address: string) => ({ ...get, peer: { ...get.peer, address } }) as unknown as Incoming;
const overloaded = expect.objectContaining({ code: 'overloaded' });

/** As two threads of one process have them. */
function two(maxRequests: number) {
  const state = newProcessState();
  return [0, 1].map(() => {
    const load = new Load(
      {
        maxConnections: 9,
        overLimitConnections: 9,
        maxHeld: 8 * 1024,
        connectionClient: () => undefined,
        requestClient: ({ peer }) => peer.address,
      },
      state,
    );
    return { load, inFlight: new InFlight(maxRequests, load, () => 'client', state.requests) };
  }) as [Thread, Thread];
}
type Thread = { readonly load: Load; readonly inFlight: InFlight };

test('the limit on requests in flight is that of the process', () => {
  const [one, other] = two(4);
  const contexts = [context(), context(), context()];
  for (const [n, each] of contexts.entries()) (n % 2 === 0 ? one : other).inFlight.enter(get, each);
  expect(one.inFlight.count).toBe(3);
  // A client leaves a quarter to others.
  expect(() => other.inFlight.requireRoom(get)).toThrow(overloaded);
  for (const [n, each] of contexts.entries()) (n % 2 === 0 ? one : other).inFlight.leave(get, each);
  other.inFlight.requireRoom(get);
  expect(other.inFlight.count).toBe(0);
});

test('a body that arrives when the last slot is taken is refused', () => {
  const [one, other] = two(2);
  const post = { method: 'POST', peer: { overLimit: false }, body: { done: false } } as unknown as Incoming;
  const waiting = context();
  one.inFlight.enter(post, waiting);
  const contexts = [context(), context()];
  for (const each of contexts) other.inFlight.enter(get, each);
  expect(post.body.onArrived?.()).toEqual(overloaded);
  one.inFlight.leave(post, waiting);
  expect(other.inFlight.count).toBe(2);
});

test('the limit on bytes that are held is that of the process', () => {
  const [one, other] = two(100);
  const third = from('third');
  one.load.hold(0, 5 * 1024, one.load.holderOf(from('first')));
  other.load.hold(0, 3 * 1024, other.load.holderOf(from('second')));
  expect(() => one.inFlight.requireRoom(third)).toThrow(overloaded);
  other.load.hold(3 * 1024, 2 * 1024, other.load.holderOf(from('second')));
  one.inFlight.requireRoom(third);
});

test('one client may hold three quarters of the bytes, on all threads together', () => {
  const [one, other] = two(100);
  const [greedy, second] = [from('greedy'), from('second')];
  one.load.hold(0, 4 * 1024, one.load.holderOf(greedy));
  other.inFlight.requireRoom(greedy);
  other.load.hold(0, 2 * 1024, other.load.holderOf(greedy));
  expect(() => one.inFlight.requireRoom(greedy)).toThrow(overloaded);
  one.inFlight.requireRoom(second);
  one.load.hold(4 * 1024, 3 * 1024, one.load.holderOf(greedy));
  other.inFlight.requireRoom(greedy);
});
