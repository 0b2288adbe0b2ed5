/** The listener with a fake connection and fake timers. */
import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import type { SQL } from 'bun';
import { Listener } from './listener.ts';

/** Much longer than the listener's polling interval. */
const longMs = 60_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Each entry of `listens` is the outcome of one attempt to listen; the last one is used for all further attempts. */
function watched(listens: readonly Promise<void>[]) {
  let opened = 0;
  let notify = () => {};
  const open = () => {
    const listening = listens[Math.min(opened++, listens.length - 1)];
    return {
      listen(_: string, onNotify: () => void) {
        notify = onNotify;
        return listening;
      },
      close: async () => {},
    } as unknown as SQL;
  };
  let wakes = 0;
  let checks = 0;
  const listener = new Listener(listens.length === 0 ? undefined : open, () => {
    checks++;
  });
  const leave = listener.watch(() => {
    wakes++;
  });
  return {
    leave,
    listener,
    checks: () => checks,
    notify: () => notify(),
    opened: () => opened,
    /** How often the watcher was woken since the last call. */
    wakes: () => {
      const count = wakes;
      wakes = 0;
      return count;
    },
  };
}

test('while the database sends notifications, only changes wake a watcher', async () => {
  const listening = Promise.resolve();
  const { leave, notify, opened, wakes } = watched([listening]);
  await listening;
  jest.advanceTimersByTime(longMs);
  expect(wakes()).toBe(0);
  notify();
  expect(wakes()).toBe(1);
  expect(opened()).toBe(1);
  leave();
});

test('behind a pooler, which sends no notifications, a watcher is woken at intervals until it leaves', () => {
  const { leave, wakes } = watched([]);
  jest.advanceTimersByTime(longMs);
  expect(wakes()).toBeGreaterThan(1);
  leave();
  jest.advanceTimersByTime(longMs);
  expect(wakes()).toBe(0);
});

test('while listening to the database fails, a watcher is woken at intervals', async () => {
  const refused = Promise.reject(new Error('refused'));
  const listening = Promise.resolve();
  const { leave, opened, wakes } = watched([refused, listening]);
  await refused.catch(() => {});
  expect(opened()).toBe(1);
  jest.advanceTimersByTime(longMs);
  expect(wakes()).toBeGreaterThan(0);
  expect(opened()).toBe(2);
  await listening;
  jest.advanceTimersByTime(longMs);
  expect(wakes()).toBe(0);
  leave();
});

test('when the database is on another server, the listener connects there and goes on', async () => {
  const listening = Promise.resolve();
  const { leave, listener, opened, notify, wakes } = watched([listening]);
  await listening;
  listener.reconnect();
  await listening;
  expect(opened()).toBe(2);
  notify();
  expect(wakes()).toBe(1);
  leave();
  listener.reconnect();
  expect(opened()).toBe(2);
});

test('while there are watchers, the database is checked at intervals', async () => {
  const { leave, checks } = watched([Promise.resolve()]);
  jest.advanceTimersByTime(longMs);
  expect(checks()).toBeGreaterThan(10);
  leave();
  const before = checks();
  jest.advanceTimersByTime(longMs);
  expect(checks()).toBe(before);
});
