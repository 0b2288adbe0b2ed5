import { afterEach, expect, test } from 'bun:test';
import { SupervisedThread, type Supervision } from './supervised.ts';

/** Echoes every message after the first; some messages make it fail. */
const echo = `
  self.onmessage = ({ data }) => {
    if (data === 'fail') throw new RangeError('cannot be set up');
    self.onmessage = ({ data: message }) => {
      if (message === 'die') throw new RangeError('on purpose');
      if (message === 'leave') process.exit(3);
      self.postMessage(message);
    };
    self.postMessage('');
  };`;
const echoUrl = URL.createObjectURL(new Blob([echo], { type: 'text/javascript' }));

let thread: SupervisedThread<string> | undefined;
afterEach(() => thread?.close());

/** `until` resolves with the first messages and events of the thread, in order. */
function supervise(options: Partial<Supervision<string>> = {}) {
  const events: string[] = [];
  const waiting = new Set<() => void>();
  function note(line: string): void {
    events.push(line);
    for (const wake of waiting) wake();
  }
  const supervised = new SupervisedThread<string>({
    name: 'the thread',
    start: () => new Worker(echoUrl),
    setup: () => 'begin',
    signal: '',
    onMessage: note,
    onEnd: ({ message }) => note(message),
    onReturn: () => note('returned'),
    ...options,
  });
  thread = supervised;
  async function until(count: number): Promise<string[]> {
    while (events.length < count) await new Promise<void>((resolve) => waiting.add(resolve));
    return events;
  }
  return { supervised, until };
}

test('a message before the thread is ready waits for it', async () => {
  const { supervised, until } = supervise();
  expect(() => supervised.check()).toThrow('the thread is starting');
  supervised.post('early');
  expect(await until(1)).toEqual(['early']);
  await supervised.ready;
  supervised.check();
});

test.each([
  ['in its first message', { setup: () => 'fail' }, 'the thread ended (RangeError: cannot be set up)'],
  [
    'as it is loaded',
    { start: () => new Worker('data:text/javascript,nothing()') },
    'the thread ended (ReferenceError',
  ],
  [
    'before there is a thread',
    {
      start: () => {
        throw new Error('no room');
      },
    },
    'the thread ended (Error: no room)',
  ],
])('a first start that fails %s is reported and not repeated', async (_, options, expected) => {
  const { supervised } = supervise(options);
  const error = await supervised.ready.catch((reason: Error) => reason);
  expect(String(error)).toStartWith(`Error: ${expected}`);
  expect(String(error)).not.toContain('\n');
  expect(() => supervised.check()).toThrow(expected);
  expect(() => supervised.post('late')).toThrow(expected);
});

test.each([
  ['die', 'the thread ended (RangeError: on purpose)'],
  ['leave', 'the thread ended'],
])('a thread that ends later (%s) accepts no messages until it is restarted', async (how, ended) => {
  const { supervised, until } = supervise();
  await supervised.ready;
  supervised.post(how);
  expect(await until(1)).toEqual([ended]);
  expect(() => supervised.check()).toThrow(ended);
  expect(() => supervised.post('lost')).toThrow(ended);
  await until(2);
  supervised.check();
  supervised.post('again');
  expect(await until(3)).toEqual([ended, 'returned', 'again']);
});

test('a start that fails later is repeated, with longer pauses, until one succeeds', async () => {
  const starts: number[] = [];
  const start = () => {
    starts.push(performance.now());
    if (starts.length > 1 && starts.length < 5) throw new Error(`refused ${starts.length}`);
    return new Worker(echoUrl);
  };
  const { supervised, until } = supervise({ start });
  await supervised.ready;
  supervised.post('die');
  const refused = [2, 3, 4].map((count) => `the thread ended (Error: refused ${count})`);
  expect(await until(5)).toEqual(['the thread ended (RangeError: on purpose)', ...refused, 'returned']);
  const pauses = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
  for (const [index, least] of [100, 200, 400, 800].entries()) expect(pauses[index]).toBeGreaterThan(least - 5);
});

test('a closed thread has processed the messages that were sent before', async () => {
  const { supervised, until } = supervise();
  supervised.post('last');
  await supervised.close();
  expect(await until(1)).toEqual(['last']);
  expect(() => supervised.post('too late')).toThrow('the thread is closed');
});

test('a thread that is closed between two starts is not started again', async () => {
  let starts = 0;
  const start = () => {
    starts++;
    return new Worker(echoUrl);
  };
  const { supervised, until } = supervise({ start });
  await supervised.ready;
  supervised.post('die');
  await until(1);
  await supervised.close();

  // A restart delay that begins later ends later: after it, the closed thread would have restarted.
  const later = supervise();
  await later.supervised.ready;
  later.supervised.post('die');
  await later.until(2);
  expect(starts).toBe(1);
});

test('a thread that starts when it is needed starts with the first message, which it gets', async () => {
  let starts = 0;
  const start = () => {
    starts++;
    return new Worker(echoUrl);
  };
  const { supervised, until } = supervise({ start, whenNeeded: true });
  await supervised.ready;
  supervised.check();
  expect(starts).toBe(0);
  supervised.post('first');
  supervised.post('second');
  expect(await until(2)).toEqual(['first', 'second']);
  expect(starts).toBe(1);
  supervised.check();
});

test('a thread that starts when it is needed and cannot is started again, until one start succeeds', async () => {
  let starts = 0;
  const start = () => {
    if (starts++ === 0) throw new Error('no room');
    return new Worker(echoUrl);
  };
  const { supervised, until } = supervise({ start, whenNeeded: true });
  const refused = 'the thread ended (Error: no room)';
  expect(() => supervised.post('lost')).toThrow(refused);
  expect(() => supervised.check()).toThrow(refused);
  await until(2);
  supervised.post('again');
  expect(await until(3)).toEqual([refused, 'returned', 'again']);
});

test('a thread that was never needed is closed without a start', async () => {
  const { supervised } = supervise({
    start: () => {
      throw new Error('started');
    },
    whenNeeded: true,
  });
  await supervised.close();
  expect(() => supervised.check()).toThrow('the thread is closed');
  expect(() => supervised.post('too late')).toThrow('the thread is closed');
});
