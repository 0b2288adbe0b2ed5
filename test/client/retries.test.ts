/** The client behind a proxy that loses requests and answers: what it sends again, what it does not, and what it says. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createClient } from '../../src/client/index.ts';
import { library } from '../support/data/library.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { failureOf } from './failure-of.ts';
import { type Fault, type FaultyProxy, faultyProxy } from './faulty-proxy.ts';
import type { Shelf } from './shelf.d.ts';

let server: TestServer;
let proxy: FaultyProxy;
const direct = () => createClient<Shelf>({ url: server.url });
let shelf: ReturnType<typeof direct>;
let name: string;
beforeAll(async () => {
  server = await startServer({ collections: library });
  proxy = await faultyProxy(server.url);
  shelf = createClient<Shelf>({ url: proxy.url });
  await shelf.users.list();
});
afterAll(async () => {
  await proxy.stop();
  await server.stop();
});
let runs = 0;
beforeEach(() => {
  name = `run ${++runs}`;
});

const problem = (code: string, status: number, headers = {}): Fault => ({
  status,
  headers: { 'Content-Type': 'application/problem+json', ...headers },
  body: JSON.stringify({ type: `/problems/${code}`, title: code, status, detail: `${code}.`, instance: '/' }),
});
const busy = problem('overloaded', 503);
const refused = problem('storage-unavailable', 503);
const unknown = problem('outcome-unknown', 503);
const gateway: Fault = { status: 502 };

/** Runs a call under these faults, and returns how many requests it sent. */
async function sent(faults: readonly Fault[], call: () => Promise<unknown>): Promise<number> {
  const before = proxy.seen.length;
  proxy.next(...faults);
  await call();
  return proxy.seen.length - before;
}

describe('a read', () => {
  test.each<[string, Fault]>([
    ['a lost request', 'lose the request'],
    ['a lost answer', 'lose the answer'],
    ['a cut answer', 'cut the answer'],
    ['429', problem('rate-limited', 429)],
    ['502 of a proxy', gateway],
    ['503 of a proxy', { status: 503 }],
    ['504 of a proxy', { status: 504 }],
    ['503 of the server', busy],
  ])('is sent again after %s', async (_, fault) => {
    expect(await sent([fault], async () => expect((await shelf.users.get(1)).name).toBe('Ada Lovelace'))).toBe(2);
  });

  test.each([400, 401, 403, 404, 500, 501])('is not sent again after %d', async (status) => {
    const call = async () => {
      const failure = await failureOf(shelf.users.get(1));
      expect([failure.code, failure.status]).toEqual(['unexpected_answer', status]);
    };
    expect(await sent([{ status }], call)).toBe(1);
  });

  test('fails with the last failure after the last retry', async () => {
    const call = async () => {
      const failure = await failureOf(shelf.users.get(1));
      expect([failure.code, failure.status, failure.message]).toEqual(['overloaded', 503, 'overloaded.']);
    };
    expect(await sent(Array(5).fill(busy), call)).toBe(5);
    const none = createClient<Shelf>({ url: proxy.url, retries: 0 });
    await none.users.list();
    proxy.next(...Array<Fault>(9).fill('lose the request'));
    expect((await failureOf(none.users.get(1))).code).toBe('connection_lost');
  });

  test('waits as long as the server asks, unless that is longer than the time-out', async () => {
    const began = performance.now();
    expect(await sent([problem('rate-limited', 429, { 'Retry-After': '1' })], () => shelf.users.get(1))).toBe(2);
    expect(performance.now() - began).toBeGreaterThan(990);
    const call = async () => {
      const failure = await failureOf(shelf.users.get(1));
      expect([failure.code, failure.retryAfter]).toEqual(['rate_limited', 3600]);
    };
    expect(await sent([problem('rate-limited', 429, { 'Retry-After': '3600' })], call)).toBe(1);
  });

  test('says that a redirect is none of its answers', async () => {
    const failure = async () => expect((await failureOf(shelf.users.get(1))).message).toContain('redirect');
    expect(await sent([{ status: 301, headers: { Location: '/elsewhere' } }], failure)).toBe(1);
  });
});

describe('a create', () => {
  test.each<[string, readonly Fault[]]>([
    ['a lost request', ['lose the request', 'lose the request']],
    ['a lost answer', ['lose the answer', 'lose the answer']],
    ['a cut answer', ['cut the answer', 'lose the answer']],
    ['an unknown outcome', [unknown, unknown]],
    ['a proxy', [gateway, { status: 504 }]],
    ['a refusal', [refused, problem('rate-limited', 429)]],
  ])('is sent again after %s, and adds one record', async (_, faults) => {
    const call = async () => expect((await shelf.users.create({ name })).name).toBe(name);
    expect(await sent(faults, call)).toBe(3);
    const keys = proxy.seen.slice(-3).map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(await direct().users.count({ where: { name } })).toBe(1);
  });

  test('of which every answer is lost is unknown, and can be sent again with its key', async () => {
    let idempotencyKey = '';
    const call = async () => {
      const failure = await failureOf(shelf.users.create({ name }));
      expect([failure.code, failure.status]).toEqual(['outcome_unknown', 0]);
      ({ idempotencyKey = '' } = failure);
    };
    expect(await sent(Array(5).fill('lose the answer'), call)).toBe(5);
    const { id } = await shelf.users.create({ name }, { idempotencyKey });
    expect((await direct().users.list({ where: { name } })).data.map((one) => one.id)).toEqual([id]);
  });

  test('is unknown if an answer was lost before the refusals', async () => {
    const call = async () => expect((await failureOf(shelf.users.create({ name }))).code).toBe('outcome_unknown');
    expect(await sent(['lose the answer', busy, busy, busy, busy], call)).toBe(5);
    const noKey = { status: 401 } as const;
    expect(await sent(['lose the answer', noKey], call)).toBe(2);
  });

  test('that is refused for what it says is not unknown', async () => {
    const call = async () =>
      expect((await failureOf(shelf.users.create({ name: 7 } as never))).code).toBe('invalid_body');
    expect(await sent(['lose the answer'], call)).toBe(2);
  });
});

describe('createMany', () => {
  test('sends a batch again, and adds each record once', async () => {
    const records = Array.from({ length: 11_000 }, (_, index) => ({ name, external_id: BigInt(index) }));
    const call = async () => expect(await shelf.users.createMany(records)).toEqual({ created: 11_000 });
    expect(await sent(['pass', 'lose the answer', 'cut the answer', 'pass', unknown], call)).toBe(6);
    expect(await direct().users.count({ where: { name } })).toBe(11_000);
  });

  test('says which records may be in, and goes on with its key', async () => {
    const records = Array.from({ length: 8000 }, () => ({ name }));
    let idempotencyKey = '';
    const call = async () => {
      const failure = await failureOf(shelf.users.createMany(records));
      expect([failure.code, failure.bulk]).toEqual(['outcome_unknown', { created: 5000, unknown: 3000 }]);
      ({ idempotencyKey = '' } = failure);
    };
    expect(await sent(['pass', ...Array<Fault>(5).fill('lose the answer')], call)).toBe(6);
    expect(await shelf.users.createMany(records, { idempotencyKey })).toEqual({ created: 8000 });
    expect(await direct().users.count({ where: { name } })).toBe(8000);
  });
});

describe('a change', () => {
  type Call = (id: number, version: number) => Promise<unknown>;
  const calls: readonly (readonly [string, Call])[] = [
    ['update', (id, version) => shelf.users.update({ id, version }, { name: 'changed' })],
    ['replace', (id, version) => shelf.users.replace({ id, version }, { name: 'changed' })],
    ['delete', (id, version) => shelf.users.delete({ id, version })],
    ['update by id', (id) => shelf.users.update(id, { name: 'changed' })],
    ['delete by id', (id) => shelf.users.delete(id)],
  ];

  describe.each(calls)('by %s', (_, call) => {
    const definite: readonly (readonly [string, Fault])[] = [
      ['overloaded', busy],
      ['storage_unavailable', refused],
      ['not_ready', problem('not-ready', 503)],
      ['issuer_unavailable', problem('issuer-unavailable', 503)],
      ['timed_out', problem('timed-out', 503)],
      ['429', problem('rate-limited', 429)],
      ['429 of a proxy', { status: 429 }],
    ];
    test.each(definite)('is sent again after %s, which changed nothing', async (_, fault) => {
      const { id, version } = await direct().users.create({ name });
      expect(await sent([fault], () => call(id, version))).toBe(2);
    });

    const unsure: readonly (readonly [string, Fault, number])[] = [
      ['a lost request', 'lose the request', 0],
      ['a lost answer', 'lose the answer', 0],
      ['outcome_unknown', unknown, 503],
      ['502', gateway, 502],
      ['503 of a proxy', { status: 503 }, 503],
      ['504', { status: 504 }, 504],
      ['500 of a proxy', { status: 500 }, 500],
    ];
    test.each(unsure)('is not sent again after %s, and is unknown', async (_, fault, status) => {
      const { id, version } = await direct().users.create({ name });
      const failing = async () => {
        const failure = await failureOf(call(id, version));
        expect([failure.code, failure.status]).toEqual(['outcome_unknown', status]);
      };
      expect(await sent([fault], failing)).toBe(1);
    });
  });

  test('is sent again if no connection was made', async () => {
    const port = freePort();
    const later = createClient<Shelf>({ url: `http://127.0.0.1:${port}`, retries: 0 });
    expect((await failureOf(later.users.delete(1))).code).toBe('connection_lost');
    const patient = createClient<Shelf>({ url: `http://127.0.0.1:${port}`, retries: 20 });
    const deleted = patient.users.delete(1);
    const started = await startServer({ server: { port } });
    await deleted;
    expect((await failureOf(patient.users.get(1))).code).toBe('not_found');
    await started.stop();
  });
});

describe('signals and time-outs', () => {
  test('a read without an answer is sent again, and then times out', async () => {
    const call = async () => {
      const failure = await failureOf(shelf.users.get(1, { timeout: 50 }));
      expect([failure.code, failure.status, failure.message]).toEqual([
        'timed_out',
        0,
        'There was no answer within 50 ms.',
      ]);
    };
    await sent(Array(5).fill('hang'), call);
    expect(await sent(['hang'], () => shelf.users.get(1, { timeout: 1000 }))).toBe(2);
  });

  test('a change without an answer is unknown', async () => {
    const client = createClient<Shelf>({ url: proxy.url });
    await client.users.list();
    const call = async () =>
      expect((await failureOf(client.users.update(1, { name: 'x' }, { timeout: 500 }))).code).toBe('outcome_unknown');
    expect(await sent(['hang'], call)).toBe(1);
  });

  test('an aborted signal ends a call at once, while it waits for an answer and for a retry', async () => {
    for (const fault of ['hang', problem('rate-limited', 429, { 'Retry-After': '20' })] as const) {
      const controller = new AbortController();
      const reason = new Error('enough');
      const before = proxy.seen.length;
      const call = async () => {
        const failing = failureOf(shelf.users.get(1, { signal: controller.signal }));
        while (proxy.seen.length === before) await new Promise(setImmediate);
        controller.abort(reason);
        const failure = await failing;
        expect([failure.code, failure.status, failure.cause]).toEqual(['aborted', 0, reason]);
      };
      expect(await sent([fault], call)).toBe(1);
    }
    const already = AbortSignal.abort();
    const call = async () => expect((await failureOf(shelf.users.delete(1, { signal: already }))).code).toBe('aborted');
    expect(await sent([], call)).toBe(0);
  });

  test('an aborted call does not end the request for the declarations of other calls', async () => {
    const client = createClient<Shelf>({ url: proxy.url });
    const controller = new AbortController();
    const first = failureOf(client.users.get(1, { signal: controller.signal }));
    const second = client.users.get(1);
    controller.abort();
    expect((await first).code).toBe('aborted');
    expect((await second).external_id).toBe(1n);
  });

  test('an aborted createMany says how many records are in', async () => {
    const controller = new AbortController();
    const records = Array.from({ length: 12_000 }, () => ({ name }));
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    const failure = await failureOf(shelf.users.createMany(records, options));
    expect([failure.code, failure.bulk]).toEqual(['aborted', { created: 5000, unknown: 0 }]);
    expect(await direct().users.count({ where: { name } })).toBe(5000);
  });
});
