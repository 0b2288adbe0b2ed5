import { afterEach, expect, test } from 'bun:test';
import { Failure, StartError } from '../domain/errors.ts';
import { callsOf, serveCalls } from './calls.ts';

const calls = new URL('./calls.ts', import.meta.url).href;
const errors = new URL('../domain/errors.ts', import.meta.url).href;
/** Doubles a number with the help of the thread that asks, and fails in every way. */
const source = `
  import { callsOf, serveCalls } from '${calls}';
  import { Failure, StartError } from '${errors}';
  self.onmessage = ({ data: port }) => {
    const back = callsOf(port);
    serveCalls(port, {
      double: async (number) => (await back.add(number, number)) + 0,
      fail: (kind) => {
        if (kind === 'failure') throw new Failure('rate_limited', { detail: 'Wait.', retryAfter: 7, cause: new RangeError('inner') });
        if (kind === 'start') throw new StartError('Cannot listen.');
        throw new TypeError('outer');
      },
      uncopied: () => () => {},
      never: () => new Promise(() => {}),
    });
    self.postMessage('ready');
  };`;
type Other = {
  double(number: number): number;
  fail(kind: 'failure' | 'start' | 'other'): void;
  uncopied(): void;
  never(): void;
  missing(): void;
};

let worker: Worker | undefined;
afterEach(() => worker?.terminate());

async function connect() {
  const { port1, port2 } = new MessageChannel();
  worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  const ready = new Promise<void>((resolve, reject) => {
    if (worker === undefined) return;
    worker.onmessage = () => resolve();
    worker.onerror = ({ message }) => reject(new Error(message));
  });
  serveCalls(port1, { add: (a: number, b: number) => a + b });
  const other = callsOf<Other>(port1);
  worker.postMessage(port2, [port2]);
  await ready;
  return { other, worker, port: port1 };
}

/** Not `rejects`: it runs a nested event loop, in which a port delivers nothing. */
const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => '',
    ({ message }: Error) => message,
  );

test('calls go in both directions over one port, and each gets its own result', async () => {
  const { other } = await connect();
  const results = await Promise.all(Array.from({ length: 1000 }, (_, n) => other.double(n)));
  expect(results).toEqual(Array.from({ length: 1000 }, (_, n) => 2 * n));
});

test('an error of a handler rejects the call, and a Failure keeps its code', async () => {
  const { other } = await connect();
  const failure = await other.fail('failure').catch((error) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code: 'rate_limited', detail: 'Wait.', retryAfter: 7, status: 429 });
  expect(failure.cause.message).toBe('inner');
  expect(await other.fail('start').catch((error) => error)).toEqual(new StartError('Cannot listen.'));
  expect(await messageOf(other.fail('other'))).toBe('outer');
  expect(await messageOf(other.missing())).toBe('this thread serves no call "missing"');
  expect(await messageOf(other.uncopied())).not.toBe('');
  expect(await other.double(4)).toBe(8);
});

test('a call waits for handlers that are not there yet, and rejects if there will be none', async () => {
  for (const isServed of [true, false]) {
    const { port1, port2 } = new MessageChannel();
    const later = Promise.withResolvers<{ double(number: number): number }>();
    serveCalls(port1, later.promise);
    const result = messageOf(callsOf<Other>(port2).double(2));
    await new Promise(setImmediate);
    if (isServed) later.resolve({ double: (number) => 2 * number });
    else later.reject(new StartError('Cannot listen.'));
    expect(await result).toBe(isServed ? '' : 'Cannot listen.');
    port1.close();
  }
});

test('a value that cannot be copied rejects the call', async () => {
  const { other } = await connect();
  expect(await messageOf(other.double((() => {}) as never))).not.toBe('');
  expect(await other.double(4)).toBe(8);
});

test('a call that the other thread never answers rejects when it ends, and so does every later one', async () => {
  const { other, worker: ending } = await connect();
  const waiting = other.never();
  ending.terminate();
  expect(await messageOf(waiting)).toBe('the other thread has ended');
  expect(await messageOf(other.double(1))).toBe('the other thread has ended');
});
