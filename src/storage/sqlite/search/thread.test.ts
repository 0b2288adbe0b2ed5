/** The searching thread starts a search without a timer; timers are counted, because times depend on the machine. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { items } from '../../../collections/items.ts';
import { longWorkFor, newLongWork } from '../../../threads/long-work.ts';
import { identify } from '../file/watch.ts';
import { migrate } from '../schema/schema.ts';
import { connect } from '../statements/connection.ts';
import { lastChangeSearch } from './plan.ts';
import type { SearchMessage, SearchReply, Setup } from './thread.ts';

/** The real thread, with the number of timers that it has set so far in each message. */
const counting = `
  const { setTimeout: setTimer, postMessage: post } = globalThis;
  let timers = 0;
  globalThis.setTimeout = (...given) => {
    timers++;
    return setTimer(...given);
  };
  globalThis.postMessage = (message) => post({ message, timers });
  await import(${JSON.stringify(join(import.meta.dir, 'thread.ts'))});
  globalThis.postMessage('loaded');`;

type Counted = { readonly message: SearchReply | null | 'loaded'; readonly timers: number };

test('an idle thread starts a search at once, also the first one', async () => {
  const filename = join(temporaryFolder(), 'x.db');
  writeFileSync(filename, '');
  const db = connect(filename);
  db.transaction(() => migrate(db, [items], filename)).immediate();

  const thread = new Worker(URL.createObjectURL(new Blob([counting], { type: 'text/javascript' })));
  const next = () =>
    new Promise<Counted>((resolve, reject) => {
      thread.onmessage = ({ data }: MessageEvent<Counted>) => resolve(data);
      thread.onerror = ({ message }) => reject(new Error(message));
    });
  const ask = (message: Setup | SearchMessage | null) => {
    const answered = next();
    thread.postMessage(message);
    return answered;
  };
  expect(await next()).toEqual({ message: 'loaded', timers: 0 });
  const longWork = newLongWork(1);
  const setup = { filename, opened: identify(filename), walBytes: 2 ** 26, longWork: longWorkFor(longWork).memory };
  expect(await ask(setup)).toEqual({ message: null, timers: 0 });
  for (const number of [0, 1]) {
    const { message, timers } = await ask({ number, client: 'c', search: lastChangeSearch, timeoutMs: 60_000 });
    expect({ message, timers }).toMatchObject({ message: { number, rows: [[1n]] }, timers: 0 });
  }

  // While it has searches, a thread that parses leaves it some time.
  const shared = new Int32Array(longWork);
  const isBusy = async (busy: number) => {
    while (Atomics.load(shared, 3) !== busy) await new Promise(setImmediate);
  };
  await isBusy(0);
  // Another thread has a turn, so that the search waits.
  Atomics.add(shared, 0, 1);
  const answer = ask({ number: 2, client: 'c', search: lastChangeSearch, timeoutMs: 60_000 });
  await isBusy(1);
  Atomics.add(shared, 1, 1);
  Atomics.notify(shared, 1);
  expect((await answer).message).toMatchObject({ number: 2 });
  await isBusy(0);
  expect(await ask(null)).toEqual({ message: null, timers: 0 });
  thread.terminate();
  db.close(true);
});
