/** When an issuer is read, without one. */
import { afterEach, expect, test } from 'bun:test';
import type { IssuerState, Published } from '../../http/access/issuer.ts';
import type { Entry } from '../../http/observe/log-entry.ts';
import { IssuerReader, type Pauses } from './issuer-reader.ts';

const published = { keys: { keys: [] }, algorithms: ['ES256'], endpoints: {} } as unknown as Published;
const never = 1e9;
const pauses: Pauses = { afterSuccess: never, afterFailure: never, betweenTokens: 0 };
let stop = () => {};
afterEach(() => stop());

/** The issuer answers each attempt when the test lets it. */
function started(some: Partial<Pauses> = {}) {
  const states: IssuerState[] = [];
  const log: Entry[] = [];
  const attempts: PromiseWithResolvers<Published>[] = [];
  const begun: (() => void)[] = [];
  const reader = new IssuerReader({
    issuer: 'https://id.example.com',
    read() {
      const attempt = Promise.withResolvers<Published>();
      attempts.push(attempt);
      for (const wake of begun.splice(0)) wake();
      return attempt.promise;
    },
    onState: (state) => states.push(state),
    log: (entry) => log.push(entry),
    pauses: { ...pauses, ...some },
  });
  stop = () => reader.stop();
  /** Resolves with the attempt of this number, counted from 1. */
  async function attempt(number: number) {
    while (attempts.length < number) await new Promise<void>((resolve) => begun.push(resolve));
    return attempts[number - 1] as PromiseWithResolvers<Published>;
  }
  return { reader, states, log, attempt, count: () => attempts.length };
}

test('all who ask while an attempt is under way share it', async () => {
  const { reader, attempt, count } = started();
  const asked = [reader.read(), reader.next(0), reader.next(0)] as const;
  (await attempt(1)).resolve(published);
  const [, one, other] = await Promise.all(asked);
  // It began before they asked.
  expect(one).toEqual({ state: { attempt: 1, published, isReachable: true }, isFresh: false });
  expect(other).toEqual(one);
  expect(count()).toBe(1);
});

test('who knows less gets what is known, without an attempt', async () => {
  const { reader, attempt, count } = started();
  const first = reader.read();
  (await attempt(1)).resolve(published);
  await first;
  expect(await reader.next(0)).toMatchObject({ state: { attempt: 1 }, isFresh: false });
  expect(count()).toBe(1);
});

test('the first tokens with an unknown key cause one attempt at once; after that tokens wait, and share the next', async () => {
  const betweenTokens = 20;
  const { reader, attempt, count } = started({ betweenTokens });
  const first = reader.read();
  (await attempt(1)).resolve(published);
  await first;
  const second = [reader.next(1), reader.next(1)];
  const before = performance.now();
  (await attempt(2)).resolve(published);
  for (const news of await Promise.all(second)) expect(news).toMatchObject({ state: { attempt: 2 }, isFresh: true });
  const waiting = [reader.next(2), reader.next(2), reader.next(2)];
  const third = await attempt(3);
  // Timers have whole milliseconds.
  expect(performance.now() - before).toBeGreaterThan(betweenTokens - 2);
  third.resolve(published);
  for (const news of await Promise.all(waiting)) expect(news).toMatchObject({ state: { attempt: 3 }, isFresh: true });
  expect(count()).toBe(3);
});

test('a bounded number of tokens waits for the next attempt; the others are told when to come back', async () => {
  const { reader, attempt } = started({ betweenTokens: 4000 });
  const first = reader.next(0);
  (await attempt(1)).resolve(published);
  await first;
  const asked = Array.from({ length: 150 }, () =>
    reader.next(1).then(
      () => 'waited',
      ({ code, retryAfter }) => `${code} ${retryAfter}`,
    ),
  );
  expect(await Promise.race(asked)).toBe('overloaded 4');
  const refused = await Promise.all(asked.slice(100));
  expect(new Set(refused)).toEqual(new Set(['overloaded 4']));
});

test('an issuer that is down is reported once, read again by itself, and reported once when it is back', async () => {
  const { reader, states, log, attempt } = started({ afterFailure: 1 });
  const first = reader.read();
  (await attempt(1)).reject(new Error('it answered 503'));
  await first;
  (await attempt(2)).reject(new Error('it answered 503'));
  (await attempt(3)).resolve(published);
  while (states.length < 3) await Bun.sleep(1);
  const message = (text: string) => `--oidc-issuer https://id.example.com ${text}`;
  expect(log).toEqual([
    {
      level: 'warn',
      event: 'issuer',
      message: message('cannot be read: it answered 503. Its tokens get 503 until it can be.'),
    },
    { level: 'info', event: 'issuer', message: message('can be read again.') },
  ]);
  expect(states.map(({ isReachable }) => isReachable)).toEqual([false, false, true]);
});

test('keys stay known while the issuer is down, and are read again after a while', async () => {
  const { reader, states, log, attempt } = started({ afterSuccess: 1 });
  const first = reader.read();
  (await attempt(1)).resolve(published);
  await first;
  (await attempt(2)).reject(new Error('gone'));
  while (states.length < 2) await Bun.sleep(1);
  expect(states[1]).toEqual({ attempt: 2, published, isReachable: false });
  expect(log).toMatchObject([{ level: 'warn', message: expect.stringContaining('its keys of before') }]);
});
