/**
 * Connections on a fake socket: packet boundaries, timeouts and random input, which need waiting or luck on a real one.
 */
import { expect, mock, test } from 'bun:test';
import type { Socket } from 'bun';
import fc from 'fast-check';
import type { Bytes } from '../domain/bytes.ts';
import { Failure } from '../domain/errors.ts';
import type { Soon } from '../domain/soon.ts';
import { headEnds, type Live, type Reply } from './answer/reply.ts';
import { StreamTurns } from './answer/stream-turns.ts';
import { Connection } from './connection.ts';
import type { Handlers } from './handlers.ts';
import { Load } from './load.ts';
import type { Incoming } from './request/incoming.ts';
import type { ServerState } from './server-state.ts';

const reply = (status: number, body: string): Reply => ({
  status,
  headers: {},
  body,
  size: Buffer.byteLength(body),
});

/** A connection that echoes each request; its socket accepts `room` bytes per write. */
function open({
  room = Number.POSITIVE_INFINITY,
  later = false,
  maxBody = 1000,
  feed = undefined as Live | undefined,
  answer = undefined as Promise<Reply> | undefined,
  isSecure = false,
  files = undefined as ServerState['files'],
  load = new Load({
    maxConnections: 1,
    overLimitConnections: 1,
    maxHeld: 8 * 1024,
    connectionClient: () => 'client',
    requestClient: (request) => request.header('client') ?? 'client',
  }),
} = {}) {
  let sent = '';
  let request: Incoming | undefined;
  let state: 'open' | 'ended' | 'cut' = 'open';
  let paused = false;
  const socket = {
    write(data: string | Bytes, offset = 0, length = data.length) {
      const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.subarray(offset, offset + length));
      const taken = bytes.subarray(0, room);
      sent += taken.toString('latin1');
      return taken.length;
    },
    end: () => {
      state = 'ended';
    },
    shutdown: () => {
      state = 'ended';
    },
    terminate: () => {
      state = 'cut';
    },
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
    },
  };
  function respond(incoming: Incoming): Soon<Reply> {
    request = incoming;
    const { method, target, body } = incoming;
    const echo = (pieces: Uint8Array[]) => reply(200, `<${method} ${target} ${Buffer.concat(pieces)}>`);
    const failed = (error: unknown) => reply(error instanceof Failure ? error.status : 500, `${error}`);
    try {
      if (target === '/unread') return reply(404, '<unread>');
      if (answer !== undefined) return answer;
      if (feed !== undefined) {
        const endless: Reply = { status: 200, headers: {}, body: feed, size: undefined };
        return later ? Promise.resolve(endless) : endless;
      }
      const read = body.read(maxBody);
      if (!(read instanceof Promise)) return later ? Promise.resolve(echo(read)) : echo(read);
      return read.then(echo, failed);
    } catch (error) {
      return failed(error);
    }
  }
  const handlers: Handlers = {
    answer(incoming, send) {
      const answered = respond(incoming);
      if (!(answered instanceof Promise)) return answered;
      answered.then(send);
      return () => reply(503, '<late>');
    },
    refuse: (failure) => reply(failure.status, failure.detail),
    handshakeFailed() {},
    report(error) {
      throw error;
    },
  };
  const server: ServerState = {
    stage: 'serving',
    load,
    requestSeconds: 60,
    keepAliveSeconds: 75,
    bodySeconds: 300,
    now: 0,
    turns: new StreamTurns(),
    scratch: Buffer.alloc(1024),
    files,
    // Fixed: two connections that are compared may be opened in different seconds.
    headEnds: headEnds(75, new Date(0)),
  };
  const connection = new Connection(socket as unknown as Socket<Connection>, server, handlers, {
    address: '127.0.0.1',
    isUnix: false,
    overLimit: false,
    isSecure,
    certificate: undefined,
  });
  return {
    connection,
    server,
    data: (text: string | Uint8Array) => connection.data(Buffer.from(text as string)),
    pass(seconds: number) {
      server.now += seconds;
      if (connection.deadline <= server.now) connection.expire();
    },
    /** The last request. */
    get request() {
      return request;
    },
    get sent() {
      return sent;
    },
    get state() {
      return state;
    },
    get paused() {
      return paused;
    },
  };
}

const requests = fc.array(
  fc.oneof(
    fc.constant('GET /a HTTP/1.1\r\nHost: x\r\n\r\n'),
    fc.constant('\r\nHEAD /b?c HTTP/1.1\r\nHost: x\r\nX-Y: z\r\n\r\n'),
    fc.constant('POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /'),
    fc.string({ unit: 'binary', maxLength: 40 }).map((body) => {
      const bytes = Buffer.byteLength(body);
      return `POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${body}`;
    }),
    fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 3 }).map((chunks) => {
      const framed = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)};x\r\n${chunk}\r\n`);
      return `POST /d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${framed.join('')}0\r\nA: b\r\n\r\n`;
    }),
  ),
  { minLength: 1, maxLength: 6 },
);

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the answers do not depend on packet boundaries, late answers or slow readers', async () => {
  const cuts = fc.array(fc.nat(400), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      requests,
      cuts,
      fc.boolean(),
      fc.integer({ min: 1, max: 300 }),
      async (all, places, later, room) => {
        const bytes = Buffer.from(all.join(''));
        const whole = open();
        whole.data(bytes);

        const split = open({ later, room });
        let from = 0;
        for (const to of [...places.sort((a, b) => a - b), bytes.length]) {
          if (to > from) split.data(bytes.subarray(from, to));
          from = Math.max(from, to);
          await turn();
          for (let n = 0; n < 50; n++) split.connection.drain();
        }
        for (let n = 0; n < 2000 && split.sent.length < whole.sent.length; n++) {
          split.connection.drain();
          if (n % 10 === 0) await turn();
        }
        expect(split.sent).toBe(whole.sent);
        expect(whole.sent.split('HTTP/1.1 ').length - 1).toBe(all.length);
      },
    ),
  );
});

test('random bytes neither throw nor cause a 500', () => {
  const noise = fc.array(fc.tuple(fc.nat(300), fc.nat(255)), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(requests, noise, (all, changes) => {
      const bytes = Buffer.from(all.join(''));
      for (const [place, value] of changes) bytes[place % bytes.length] = value;
      const noisy = open();
      noisy.data(bytes);
      noisy.connection.end();
      expect(noisy.sent).not.toContain('HTTP/1.1 500');
    }),
    { numRuns: 2000 },
  );
});

test('a head that arrives byte by byte times out', () => {
  const slow = open();
  for (const byte of 'GET /a HTTP/1.1') {
    slow.data(byte);
    slow.pass(1);
  }
  expect(slow.sent).toStartWith('HTTP/1.1 408 Request Timeout');
  expect(slow.state).toBe('ended');
});

test('a head has 15 seconds to arrive', () => {
  const slow = open();
  slow.data('GET /a HTTP/1.1\r\n');
  slow.pass(14);
  expect(slow.sent).toBe('');
  slow.data('Host: x\r\n\r\n');
  expect(slow.sent).toEndWith('<GET /a >');
});

test('a body may be slow, but times out when it stalls', async () => {
  const slow = open();
  slow.data('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n');
  for (let n = 0; n < 2; n++) {
    slow.pass(19);
    slow.data('x');
  }
  expect(slow.sent).toBe('');
  slow.pass(20);
  await turn();
  expect(slow.sent).toStartWith('HTTP/1.1 408 Request Timeout');
  expect(slow.state).toBe('ended');
});

test('a body that arrives byte by byte times out', async () => {
  const trickle = open();
  trickle.data('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n');
  for (let n = 0; n < 61; n++) {
    expect(trickle.sent).toBe('');
    trickle.pass(1);
    trickle.data('x');
    await turn();
  }
  expect(trickle.sent).toStartWith('HTTP/1.1 408 Request Timeout');
});

test('a final answer instead of 100 Continue ends the connection, and later data is not parsed as a request', () => {
  const early = open();
  early.data('POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n');
  expect(early.sent).toStartWith('HTTP/1.1 404');
  expect(early.sent).toContain('Connection: close\r\n');
  expect(early.state).toBe('ended');
  const before = early.sent;
  early.data('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(early.sent).toBe(before);
});

test('a body with Expect that was awaited, or sent without waiting, leaves the connection open', async () => {
  const expects = 'POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n';
  const awaited = open();
  awaited.data(expects);
  expect(awaited.sent).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  awaited.data('é');
  await turn();
  const unasked = open();
  unasked.data(`${expects.replace('/c', '/unread')}é`);
  for (const one of [awaited, unasked]) {
    expect(one.sent).toContain('Keep-Alive: timeout=75\r\n');
    one.data('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(one.sent).toContain('<GET /a >');
    expect(one.state).toBe('open');
  }
});

test('a steady body times out after a longer time', async () => {
  const paced = open({ maxBody: 1e6 });
  paced.data('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  const second = 'x'.repeat(2000);
  for (let n = 0; n < 301; n++) {
    expect(paced.sent).toBe('');
    paced.pass(1);
    paced.data(second);
    await turn();
  }
  expect(paced.sent).toStartWith('HTTP/1.1 408 Request Timeout');
});

test('an idle connection is closed, and one whose client does not read is cut', () => {
  const idle = open();
  idle.data('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(idle.sent).toContain('Keep-Alive: timeout=75\r\n');
  // The current second was partly over, so it does not count.
  idle.pass(75);
  expect(idle.state).toBe('open');
  idle.pass(1);
  expect(idle.state).toBe('ended');

  const stuck = open({ room: 0 });
  stuck.data('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  stuck.pass(10);
  expect(stuck.state).toBe('open');
  stuck.pass(10);
  expect(stuck.state).toBe('cut');
});

test('a slow reader is not cut', () => {
  const slow = open({ room: 10 });
  slow.data('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  for (let n = 0; n < 3; n++) slow.pass(10);
  expect(slow.state).toBe('open');
  expect(slow.sent.length).toBe(40);
});

test('a discarded body may be slow, too', () => {
  const slow = open();
  slow.data('POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n');
  for (let n = 0; n < 49; n++) {
    slow.pass(19);
    slow.data('x');
  }
  expect(slow.state).toBe('open');
  slow.pass(20);
  expect(slow.state).toBe('ended');
});

test('a client that closes in the middle of an unread body is disconnected at once', () => {
  const short = open();
  short.data('POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nab');
  short.connection.end();
  expect(short.state).toBe('ended');
});

test('a client that closes in the middle of a pipelined body is disconnected after the answers', async () => {
  const short = open({ later: true });
  short.data('GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nab');
  short.connection.end();
  await turn();
  expect(short.sent).toContain('<GET /a >');
  expect(short.sent).toEndWith('<unread>');
  expect(short.state).toBe('ended');
});

test('a body with far more chunk framing than content is refused', async () => {
  const hollow = open();
  hollow.data('POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  for (let n = 0; n < 20; n++) hollow.data(`1;${'x'.repeat(4000)}\r\ny\r\n`);
  await turn();
  expect(hollow.sent).toStartWith('HTTP/1.1 400');
});

test('data after a shutdown is dropped, up to a limit', () => {
  const rude = open();
  rude.data('no request\r\n\r\n');
  expect(rude.state).toBe('ended');
  const megabyte = Buffer.alloc(1024 * 1024);
  for (let n = 0; n < 16; n++) rude.connection.data(megabyte);
  expect(rude.state).toBe('ended');
  rude.connection.data(megabyte);
  expect(rude.state).toBe('cut');
});

/** A live answer that sends a word for each call of `say`. */
function endless() {
  const words: string[] = [];
  let wake = () => {};
  let returned = false;
  const live: Live = {
    live: true,
    async next() {
      while (words.length === 0 && !returned) await new Promise<void>((resolve) => (wake = resolve));
      const word = words.shift();
      return word === undefined ? { done: true, value: undefined } : { done: false, value: Buffer.from(word) };
    },
    return() {
      returned = true;
      wake();
    },
  };
  const say = (word: string) => {
    words.push(word);
    wake();
  };
  return { live, say, returned: () => returned };
}

/** Stops a connection as the server does. */
function stop(connection: Connection): void {
  connection.server.stage = 'stopping';
  connection.finish();
}

const feedRequest = 'GET /feed HTTP/1.1\r\nHost: x\r\n\r\n';

test.each([
  ['the client leaves', (connection: Connection) => connection.close(), false],
  ['the client closes its side', (connection: Connection) => connection.end(), true],
  ['the server stops', stop, true],
] as const)('a live answer ends when %s', async (_, leave, whole) => {
  const feed = endless();
  const one = open({ feed: feed.live });
  one.data(feedRequest);
  feed.say('first');
  for (let n = 0; n < 5; n++) await turn();
  expect(one.sent).toEndWith('\r\n\r\n5\r\nfirst\r\n');
  expect(feed.returned()).toBe(false);
  // A live answer without data does not time out.
  one.pass(3600);
  expect(one.state).toBe('open');

  leave(one.connection);
  for (let n = 0; n < 5; n++) await turn();
  expect(feed.returned()).toBe(true);
  expect(one.sent.endsWith('5\r\nfirst\r\n0\r\n\r\n')).toBe(whole);
});

test('a live answer that begins while the server stops ends at once', async () => {
  const feed = endless();
  const one = open({ feed: feed.live, later: true });
  one.data(feedRequest);
  stop(one.connection);
  for (let n = 0; n < 5; n++) await turn();
  expect(feed.returned()).toBe(true);
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
/** For each answer so far: whether it has Connection: close. */
const closing = (sent: string) =>
  sent
    .split(/(?=HTTP\/1\.1 )/)
    .filter(Boolean)
    .map((answer) => answer.includes('Connection: close'));

test('the socket is paused each time that a client pipelines too much', async () => {
  const greedy = open({ later: true });
  const ahead = get('/a')
    .replace('Host: x', `Host: x\r\nX-Long: ${'x'.repeat(8000)}`)
    .repeat(10);
  for (let round = 0; round < 3; round++) {
    greedy.data(get('/a'));
    expect(greedy.paused).toBe(false);
    greedy.data(ahead);
    expect(greedy.paused).toBe(true);
    await turn();
    expect(greedy.paused).toBe(false);
  }
  expect(greedy.sent.split('<GET /a >')).toHaveLength(3 * 11 + 1);
});

test('a connection without a request is closed after 15 seconds, whatever it sends instead', () => {
  const [silent, noisy] = [open(), open()];
  for (let second = 0; second < 15; second++) {
    expect([silent.state, noisy.state]).toEqual(['open', 'open']);
    noisy.data('\r\n');
    for (const one of [silent, noisy]) one.pass(1);
  }
  expect([silent.state, noisy.state]).toEqual(['ended', 'ended']);
});

test('a TLS handshake and the first request after it have as much time as a head', () => {
  const slow = open({ isSecure: true });
  slow.pass(14);
  expect(slow.state).toBe('open');
  slow.pass(1);
  expect(slow.state).toBe('cut');

  const done = open({ isSecure: true });
  done.pass(14);
  done.connection.secured('CN=billing');
  done.pass(14);
  expect(done.state).toBe('open');
  done.data('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(done.request?.peer.certificate).toBe('CN=billing');
  expect(done.sent).toEndWith('<GET /a >');
  done.pass(75);
  expect(done.state).toBe('open');

  const silent = open({ isSecure: true });
  silent.connection.secured(undefined);
  silent.pass(15);
  expect(silent.state).toBe('ended');
});

test('while the server stops, a TLS handshake and the first request have two seconds', () => {
  const [slow, done] = [open({ isSecure: true }), open({ isSecure: true })];
  for (const { server, connection } of [slow, done]) {
    server.stage = 'stopping';
    connection.finish();
  }
  slow.pass(2);
  expect(slow.state).toBe('cut');
  done.pass(1);
  done.connection.secured(undefined);
  done.pass(1);
  expect(done.state).toBe('open');
  done.pass(1);
  expect(done.state).toBe('ended');
});

test('while the server drains, an answer ends its connection and an idle connection stays', () => {
  const [used, idle] = [open(), open()];
  for (const one of [used, idle]) one.server.stage = 'draining';
  used.data(get('/a'));
  expect(closing(used.sent)).toEqual([true]);
  expect([used.state, idle.state]).toEqual(['ended', 'open']);
});

test.each([true, false])('while the server drains, pipelined requests are all answered (later: %p)', async (later) => {
  const one = open({ later });
  one.server.stage = 'draining';
  one.data(get('/a') + get('/b') + get('/c'));
  for (let n = 0; n < 5; n++) await turn();
  expect(closing(one.sent)).toEqual([false, false, true]);
  expect(one.state).toBe('ended');
});

test('when the server stops, an idle connection is closed, and one with a request in flight after its answer', async () => {
  const idle = open();
  idle.data(get('/a'));
  stop(idle.connection);
  expect(idle.state).toBe('ended');

  const busy = open({ later: true });
  busy.data(get('/a'));
  stop(busy.connection);
  expect(busy.state).toBe('open');
  await turn();
  expect(closing(busy.sent)).toEqual([true]);
  expect(busy.state).toBe('ended');

  // The head of its answer is already sent, without Connection: close.
  const sending = open({ room: 10 });
  sending.data(get('/a'));
  stop(sending.connection);
  expect(sending.state).toBe('open');
  for (let n = 0; n < 50; n++) sending.connection.drain();
  expect(closing(sending.sent)).toEqual([false]);
  expect(sending.state).toBe('ended');
});

test('when the server stops, a new connection can still send one request', () => {
  const [used, unused] = [open(), open()];
  for (const { connection } of [used, unused]) stop(connection);
  expect([used.state, unused.state]).toEqual(['open', 'open']);
  used.data(get('/a'));
  expect(closing(used.sent)).toEqual([true]);
  expect(used.state).toBe('ended');
  unused.pass(2);
  expect(unused.state).toBe('ended');
});

test('a body that grows while others of its client hold its share is refused, and one alone may be larger', async () => {
  const body = 'x'.repeat(7 * 1024);
  const head = (length: number) => `POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  const one = open({ maxBody: 8 * 1024 });
  one.data(head(body.length + 1) + body);
  await turn();
  one.data('y');
  await turn();
  expect(one.sent).toEndWith(`<POST /c ${body}y>`);

  const { load } = one.server;
  // A proxy sends requests of both on connections of its own.
  const [greedy, other] = [open({ load }), open({ load })];
  load.hold(0, 6 * 1024, load.holderOf({ peer: greedy.connection.peer, header: () => 'greedy' }));
  for (const [each, client] of [
    [greedy, 'greedy'],
    [other, 'other'],
  ] as const) {
    each.data(`${head(9).replace('Host', `Client: ${client}\r\nHost`)}four`);
    await turn();
    each.data('more');
    await turn();
    each.data('!');
    await turn();
  }
  expect(greedy.sent).toStartWith('HTTP/1.1 503 ');
  expect(greedy.sent).toContain('send fewer at once');
  expect(other.sent).toEndWith('<POST /c fourmore!>');
  expect(load.held).toBe(6 * 1024);
});

test('of two bodies of a client that are below its share and too large together, one is refused', async () => {
  const half = 'x'.repeat(5 * 1024);
  const head = `POST /c HTTP/1.1\r\nClient: greedy\r\nHost: x\r\nContent-Length: ${half.length + 2}\r\n\r\n`;
  const one = open({ maxBody: 8 * 1024 });
  const { load } = one.server;
  const two = open({ load, maxBody: 8 * 1024 });
  for (const each of [one, two]) {
    each.data(head + half);
    await turn();
  }
  two.data('y');
  await turn();
  expect(two.sent).toStartWith('HTTP/1.1 503 ');
  // Beyond the limit, too, a client may have one body.
  load.hold(0, 8 * 1024, load.holderOf({ peer: one.connection.peer, header: () => 'other' }));
  for (const byte of ['y', 'z']) {
    one.data(byte);
    await turn();
  }
  expect(one.sent).toEndWith(`<POST /c ${half}yz>`);
  expect(load.held).toBe(8 * 1024);
});

const twoPieces = ['POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nfour', 'more'] as const;

test('the memory held for a request is released with it', async () => {
  const one = open();
  one.data(twoPieces[0]);
  await turn();
  expect(one.server.load.held).toBe(1024);
  one.data(twoPieces[1]);
  await turn();
  expect(one.sent).toEndWith('fourmore>');
  expect(one.server.load.held).toBe(0);

  const slow = open({ room: 10 });
  slow.data('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(slow.server.load.held).toBeGreaterThan(0);
  slow.connection.close();
  expect(slow.server.load.held).toBe(0);
});

test.each([
  ['GET', true],
  ['DELETE', false],
])('after a client closes its side, the signal of its %s is aborted after two seconds: %p', async (method, aborted) => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const left = open({ answer: promise });
  left.data(`${method} /a HTTP/1.1\r\nHost: x\r\n\r\n`);
  left.connection.end();
  left.pass(1);
  expect(left.request?.signal.aborted).toBe(false);
  left.pass(1);
  expect(left.request?.signal.aborted).toBe(aborted);
  // The client may still read.
  resolve(reply(200, '<late>'));
  await turn();
  expect(left.sent).toContain('<late>');
});

test('the signal of a request is aborted when the connection closes and at the timeout', async () => {
  const request = 'POST /a HTTP/1.1\r\nHost: x\r\n\r\n';
  const closed = open({ answer: Promise.withResolvers<Reply>().promise });
  closed.data(request);
  closed.connection.close();
  const reason = new Failure('malformed_request', { detail: 'The connection closed before the answer was ready.' });
  expect(closed.request?.signal.reason).toEqual(reason);
  const late = open({ answer: Promise.withResolvers<Reply>().promise });
  late.data(request);
  late.pass(61);
  expect(late.sent).toContain('<late>');
  expect(late.request?.signal.aborted).toBe(true);
});

test('the time for an answer begins when the request is complete', async () => {
  const never = Promise.withResolvers<Reply>();
  const one = open({ answer: never.promise });
  one.data(twoPieces[0]);
  for (const piece of twoPieces[1]) {
    one.pass(10);
    one.data(piece);
  }
  for (let second = 0; second < 60; second++) one.pass(1);
  expect(one.sent).toBe('');
  one.pass(1);
  expect(one.sent).toContain('503');
  expect(one.sent).toEndWith('<late>');
  // The late reply is dropped, and the next request is served.
  never.resolve(reply(200, '<too late>'));
  await turn();
  one.data('GET /unread HTTP/1.1\r\nHost: x\r\n\r\n');
  await turn();
  expect(one.sent).not.toContain('<too late>');
});

test.each([
  ['a body that never comes', 'GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n', ''],
  ['much pipelined data', 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n', 'x'.repeat(200_000)],
])('a request is answered in time with %s', (_, request, more) => {
  const one = open({ answer: new Promise<Reply>(() => {}) });
  one.data(request);
  one.data(more);
  for (let second = 0; second < 130; second++) one.pass(1);
  expect(one.sent).toContain('503');
});

test('an answer that leaves too much of a body unread has Connection: close', () => {
  const unread = (length: number) => {
    const one = open();
    one.data(`POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
    return { closing: closing(one.sent), state: one.state };
  };
  expect(unread(64 * 1024)).toEqual({ closing: [false], state: 'open' });
  expect(unread(64 * 1024 + 1)).toEqual({ closing: [true], state: 'ended' });
});

test('an answer of unknown length to an HTTP/1.0 client ends with its connection, also with keep-alive', async () => {
  const feed = endless();
  const old = open({ feed: feed.live });
  old.data('GET /feed HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
  feed.say('first');
  for (let n = 0; n < 5; n++) await turn();
  expect(closing(old.sent)).toEqual([true]);
  expect(old.sent).toEndWith('\r\n\r\nfirst');
  expect(old.state).toBe('open');
  feed.live.return();
  for (let n = 0; n < 5; n++) await turn();
  expect(old.sent).toEndWith('\r\n\r\nfirst');
  expect(old.state).toBe('ended');
});

test('answers over TLS, and only these, ask browsers to use nothing else', () => {
  const headers = (isSecure: boolean) => {
    const one = open({ isSecure });
    if (isSecure) one.connection.secured(undefined);
    one.data(get('/a'));
    one.data('not a request\r\n\r\n');
    return one.sent.match(/^Strict-Transport-Security: max-age=31536000\r$/gm)?.length ?? 0;
  };
  expect([headers(true), headers(false)]).toEqual([2, 0]);
});

test.each([
  [false, 1],
  [true, 0],
])('shared content passes by the runtime, but not with TLS (%p), which has to encrypt it', async (isSecure, times) => {
  // It accepts nothing, so the content is written as any other.
  const send = mock(() => 0);
  const files = { send } as unknown as NonNullable<ServerState['files']>;
  const list: Reply = { status: 200, headers: {}, body: Buffer.from('<list>'), size: 6, shared: true };
  const one = open({ isSecure, files, answer: Promise.resolve(list) });
  if (isSecure) one.connection.secured(undefined);
  one.data(get('/a'));
  await turn();
  expect(send).toHaveBeenCalledTimes(times);
  expect(one.sent).toEndWith('<list>');
});
