/** A port: which connections are over the limit, and how long a stop waits. */
import { afterEach, expect, spyOn, test } from 'bun:test';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Soon } from '../domain/soon.ts';
import { newProcessState } from '../threads/process-state.ts';
import type { Reply } from './answer/reply.ts';
import type { Handlers } from './handlers.ts';
import { type Listening, listen } from './listen.ts';
import { Load } from './load.ts';
import type { Incoming, Origin } from './request/incoming.ts';

const reply = (body: string): Reply => ({ status: 200, headers: {}, body, size: body.length });
const request = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';
/** Longer than the timeout of a test: a stop that waits for it fails the test. */
const hourMs = 3_600_000;

const running: Listening[] = [];
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of running.splice(0)) await server.stop(0);
});

/** 127.0.0.9 is a proxy. */
function loadOf(maxConnections: number, state = newProcessState()): Load {
  const connectionClient = ({ address }: Origin) => (address === '127.0.0.9' ? undefined : address);
  const requestClient = () => 'client';
  return new Load(
    { maxConnections, overLimitConnections: 4, maxHeld: 2 ** 20, connectionClient, requestClient },
    state,
  );
}

function serve(
  answer: (incoming: Incoming) => Soon<Reply>,
  maxConnections = 10,
  state = newProcessState(),
  requestTimeout = hourMs,
): Listening {
  const bounds = {
    requestTimeout,
    keepAlive: hourMs,
    bulkTimeout: hourMs,
    load: loadOf(maxConnections, state),
  };
  const handlers: Handlers = {
    answer(incoming, send) {
      const answered = answer(incoming);
      if (!(answered instanceof Promise)) return answered;
      answered.then(send);
      return () => reply('<late>');
    },
    refuse: ({ detail }) => reply(detail),
    handshakeFailed() {},
    report(error) {
      throw error;
    },
  };
  const server = listen([{ address: { hostname: '127.0.0.1', port: 0, sharePort: false }, handlers }], bounds);
  running.push(server);
  return server;
}

/** Sends a request on a new connection. `text` resolves with the received text when the connection is closed. */
function ask({ port }: Listening, localAddress = '127.0.0.1') {
  const client = connect({ port, host: '127.0.0.1', localAddress });
  clients.push(client);
  let received = '';
  const text = new Promise<string>((resolve) => {
    client.on('data', (chunk) => (received += chunk));
    client.on('close', () => resolve(received)).on('error', () => {});
  });
  client.write(request);
  return { client, text };
}

/** Enough turns of the event loop for a stop to read the data that has arrived. */
async function someTurns(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
}

/** A server with a request in flight, which is answered when `answer` is called. */
async function inFlight() {
  const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<Reply>()];
  const server = serve(() => {
    arrived.resolve();
    return answered.promise;
  });
  const { text } = ask(server);
  await arrived.promise;
  return { server, text, answer: () => answered.resolve(reply('<answered>')) };
}

test('a connection is over the limit when maxConnections others are open', async () => {
  const server = serve(({ peer }) => reply(peer.overLimit ? '<over the limit>' : '<within>'), 2);
  const told: string[] = [];
  for (let n = 0; n < 3; n++) told.push(String((await once(ask(server).client, 'data'))[0]).split('\r\n\r\n')[1] ?? '');
  expect(told).toEqual(['<within>', '<within>', '<over the limit>']);
});

test('one client gets three quarters of the connections, also of those over the limit; a proxy gets all', async () => {
  let arrived = Promise.withResolvers<string>();
  // Never answered: a connection over the limit ends with its answer.
  const wait = ({ peer }: Incoming) => {
    arrived.resolve(peer.overLimit ? 'over' : 'within');
    return new Promise<never>(() => {});
  };
  /** Opens so many connections from one address, and returns where each is counted. */
  async function counted(server: Listening, address: string, connections: number): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (let n = 0; n < connections; n++) {
      arrived = Promise.withResolvers();
      const place = await Promise.race([arrived.promise, ask(server, address).text.then(() => 'closed')]);
      counts[place] = (counts[place] ?? 0) + 1;
    }
    return counts;
  }
  const server = serve(wait, 8);
  expect(await counted(server, '127.0.0.2', 11)).toEqual({ within: 6, over: 3, closed: 2 });
  expect(await counted(server, '127.0.0.1', 4)).toEqual({ within: 2, over: 1, closed: 1 });
  expect(await counted(serve(wait, 8), '127.0.0.9', 13)).toEqual({ within: 8, over: 4, closed: 1 });
});

test('the limit on connections is that of the process: servers of several threads share it', async () => {
  const state = newProcessState();
  const answer = ({ peer }: Incoming) => reply(peer.overLimit ? '<over the limit>' : '<within>');
  const [one, other] = [serve(answer, 2, state), serve(answer, 2, state)];
  const open = async (server: Listening) => {
    const { client } = ask(server);
    return { client, told: String((await once(client, 'data'))[0]).split('\r\n\r\n')[1] };
  };
  const first = await open(one);
  expect([first.told, (await open(other)).told, (await open(one)).told]).toEqual([
    '<within>',
    '<within>',
    '<over the limit>',
  ]);
  const load = loadOf(2, state);
  expect(load.connections).toBe(3);
  await one.stop(0);
  expect(load.connections).toBe(1);
  expect((await open(other)).told).toBe('<within>');
});

test.each([
  ['it has no abort signal', undefined],
  ['its signal is not aborted', new AbortController().signal],
])('a stop waits for a request in flight if %s', async (_, atOnce) => {
  const { server, text, answer } = await inFlight();
  let isOver = false;
  const stopped = server.stop(hourMs, atOnce).then(() => {
    isOver = true;
  });
  await someTurns();
  expect(isOver).toBe(false);
  answer();
  expect(await text).toEndWith('<answered>');
  await stopped;
});

test('a stop that is aborted before it begins cuts a request in flight', async () => {
  const { server, text } = await inFlight();
  await server.stop(hourMs, AbortSignal.abort());
  expect(await text).toBe('');
});

test('a stop that is aborted while it waits cuts a request in flight', async () => {
  const { server, text } = await inFlight();
  const hurry = new AbortController();
  const stopped = server.stop(hourMs, hurry.signal);
  await someTurns();
  hurry.abort();
  await stopped;
  expect(await text).toBe('');
});

test('a stop cuts a request in flight at its deadline', async () => {
  const { server, text } = await inFlight();
  await server.stop(1);
  expect(await text).toBe('');
});

test('a request may take its time-out, in whole seconds rounded up, and the rest of the current one', async () => {
  let passSecond = () => {};
  const clock = spyOn(globalThis, 'setInterval').mockImplementationOnce(((tick: () => void) => {
    passSecond = tick;
  }) as typeof setInterval);
  const arrived = Promise.withResolvers<void>();
  const wait = () => {
    arrived.resolve();
    return new Promise<never>(() => {});
  };
  const server = serve(wait, 10, newProcessState(), 1001);
  clock.mockRestore();
  const { client } = ask(server);
  let received = '';
  client.on('data', (chunk) => (received += chunk));
  await arrived.promise;
  for (let second = 0; second < 2; second++) {
    passSecond();
    await someTurns();
    expect(received).toBe('');
  }
  passSecond();
  await once(client, 'data');
  expect(received).toContain('<late>');
});
