/** Raw requests that no client library would send. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { startServer, type TestServer } from '../support/servers/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Sends the parts in order; resolves with the received text when it matches `until` or the server has closed. */
function exchange(parts: readonly (string | Buffer)[], until: RegExp | 'end'): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setNoDelay(true);
    socket.on('connect', async () => {
      for (const part of parts) await new Promise((sent) => socket.write(part, sent));
    });
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (until !== 'end' && until.test(received)) done();
    });
    socket.on('close', done);
    socket.on('error', (error) => (received === '' ? reject(error) : done()));
  });
}

const head = (line: string, ...headers: string[]) => `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
const user = '{"id":2,"name":"raw"}';
const chunked = (...chunks: string[]) =>
  `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;
const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
const countUsers = async () => ((await (await fetch(`${server.url}/api/users`)).json()) as unknown[]).length;

describe('a well-formed request', () => {
  test('pipelined requests are answered in order', async () => {
    const requests = ['/healthz', '/api/items/1', '/nope', '/api/users/1'].map((path) => head(`GET ${path} HTTP/1.1`));
    const received = await exchange([requests.join('')], /Ada Lovelace/);
    expect(statuses(received)).toEqual([200, 200, 404, 200]);
    expect(received.indexOf('"ok"')).toBeLessThan(received.indexOf('Widget'));
  });

  test('the Date of an answer is the current time', async () => {
    const ask = async () => new Date((await fetch(`${server.url}/healthz`)).headers.get('date') ?? '').getTime();
    const first = await ask();
    expect(Math.abs(Date.now() - first)).toBeLessThan(60_000);
    let later = first;
    while (later === first) later = await ask();
    expect(later).toBeGreaterThan(first);
  });

  test('a request that is pipelined after a write runs after it', async () => {
    const body = '{"id":77,"name":"pipelined"}';
    const create = head('POST /api/users HTTP/1.1', `Content-Length: ${body.length}`) + body;
    const remove = head('DELETE /api/users/77 HTTP/1.1');
    const received = await exchange([create + remove + remove + head('GET /healthz HTTP/1.1')], /"ok"/);
    expect(statuses(received)).toEqual([201, 204, 404, 200]);
  });

  test('a client that half-closes its connection is answered', async () => {
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true });
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.end(
      head('POST /api/users HTTP/1.1', `Content-Length: ${user.length}`) + user + head('GET /healthz HTTP/1.1'),
    );
    await new Promise((resolve) => socket.on('close', resolve));
    expect(statuses(received)).toEqual([201, 200]);
  });

  test('a chunked body is read completely', async () => {
    const send =
      head('POST /api/users HTTP/1.1', 'Transfer-Encoding: chunked') + chunked(user.slice(0, 5), user.slice(5));
    expect(await exchange([send], /"raw"\}$/)).toContain('201 Created');
  });

  test('a chunked body over the limit is 413 in JSON, and the connection ends', async () => {
    const before = await countUsers();
    const chunk = 'x'.repeat(64 * 1024);
    const parts = [
      head('POST /api/users HTTP/1.1', 'Transfer-Encoding: chunked'),
      ...Array(20).fill(`10000\r\n${chunk}\r\n`),
    ];
    const received = await exchange(parts, 'end');
    expect(statuses(received)).toEqual([413]);
    expect(received).toContain('{"detail":"The body is over the limit of 1048576 bytes."}');
    expect(await countUsers()).toBe(before);
  });

  test('a declared length over the limit is refused before the body is sent', async () => {
    const received = await exchange([head('POST /api/users HTTP/1.1', 'Content-Length: 99999999')], 'end');
    expect(statuses(received)).toEqual([413]);
    expect(received).toContain('Connection: close');
  });

  test('Expect: 100-continue is answered with 100, or with the final status if the body is refused', async () => {
    const expects = head('POST /api/users HTTP/1.1', `Content-Length: ${user.length}`, 'Expect: 100-continue');
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let received = '';
    socket.write(expects);
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        received += chunk;
        if (received.endsWith('100 Continue\r\n\r\n')) socket.write(user);
        if (received.includes('"raw"}')) resolve();
      });
    });
    socket.destroy();
    expect(statuses(received)).toEqual([100, 201]);
    const tooMuch = head('POST /api/users HTTP/1.1', 'Content-Length: 99999999', 'Expect: 100-continue');
    expect(statuses(await exchange([tooMuch], 'end'))).toEqual([413]);
  });

  test('trailers and chunk extensions are ignored', async () => {
    const sent = `${user.length.toString(16)} ; a="b"\r\n${user}\r\n0\r\nX-Sum: 1\r\n\r\n`;
    const send = head('POST /api/users HTTP/1.1', 'Transfer-Encoding: Chunked') + sent + head('GET /healthz HTTP/1.1');
    expect(statuses(await exchange([send], /"ok"/))).toEqual([201, 200]);
  });

  test('HTTP/1.0 with keep-alive keeps the connection open', async () => {
    const get = 'GET /healthz HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n';
    const received = await exchange([get + get], /"ok".*"ok"/s);
    expect(received).toContain('Connection: keep-alive');
  });

  test('an unknown method is answered with 405', async () => {
    const received = await exchange([head('BREW /api/users HTTP/1.1')], /\}$/);
    expect(statuses(received)).toEqual([405]);
    expect(received).toContain('Allow: GET, HEAD, POST, OPTIONS');
  });

  test('a body sent with a GET is not parsed as the next request', async () => {
    const smuggled = head('DELETE /api/users/1 HTTP/1.1');
    const get = head('GET /healthz HTTP/1.1', `Content-Length: ${smuggled.length}`) + smuggled;
    const received = await exchange([get + head('GET /api/users/1 HTTP/1.1')], /Ada Lovelace/);
    expect(statuses(received)).toEqual([200, 200]);
  });

  test('a body sent to an unknown path is not parsed as the next request', async () => {
    const smuggled = head('DELETE /api/users/1 HTTP/1.1');
    const wrong = head('POST /nope HTTP/1.1', `Content-Length: ${smuggled.length}`) + smuggled;
    const received = await exchange([wrong + head('GET /api/users/1 HTTP/1.1')], /Ada Lovelace/);
    expect(statuses(received)).toEqual([404, 200]);
  });

  test('HTTP/1.0 without a Host is served', async () => {
    expect(await exchange(['GET /healthz HTTP/1.0\r\n\r\n'], 'end')).toContain('{"status":"ok"}');
  });

  test('a target in absolute form is served, and its host overrides the Host header', async () => {
    const ask = (host: string) =>
      exchange([head(`GET http://${host}/api/items/1 HTTP/1.1`, 'Connection: close')], 'end');
    expect(await ask('127.0.0.1')).toMatch(/200 OK.+Widget/s);
    expect(await ask('elsewhere')).toContain('403 Forbidden');
  });

  test('OPTIONS * lists the supported methods', async () => {
    const received = await exchange([head('OPTIONS * HTTP/1.1', 'Connection: close')], 'end');
    expect(statuses(received)).toEqual([204]);
    expect(received).toContain('Allow: OPTIONS, HEAD, GET, POST, DELETE, PUT, PATCH\r\n');
  });

  test.each([
    ['not-close', 'keep-alive'],
    ['closed, x', 'keep-alive'],
    ['x, Close', 'close'],
  ])('Connection: %s means %s', async (sent, told) => {
    const received = await exchange([head('GET /healthz HTTP/1.1', `Connection: ${sent}`)], /"ok"/);
    expect(received).toContain(`\r\nConnection: ${told}\r\n`);
    expect(received.includes('\r\nKeep-Alive: timeout=75\r\n')).toBe(told === 'keep-alive');
  });

  test('chunk extensions with quoted values are ignored', async () => {
    const extended = chunked(user).replace('\r\n', ' ; a ; b=c; d = "e;\\" f"\r\n');
    const send = head('POST /api/users HTTP/1.1', 'Transfer-Encoding: chunked') + extended;
    expect(await exchange([send], /"raw"\}$/)).toContain('201 Created');
  });

  test('HEAD sends no body', async () => {
    const received = await exchange([head('HEAD /api/items HTTP/1.1') + head('GET /healthz HTTP/1.1')], /"ok"/);
    expect(received).not.toContain('Widget');
    expect(statuses(received)).toEqual([200, 200]);
  });
});

describe('percent encoding', () => {
  test.each([
    ['/api/items/%31', 200],
    ['/api/item%73', 200],
    ['/api%2Fitems', 404],
    ['/api/items/%2e%2e', 400],
    ['/api/items%2f1', 404],
    ['/api/items/%zz', 400],
    ['/api/items/%', 400],
    ['/api/items/%C0%AF', 400],
    ['/api/items/1%00', 400],
    ['/api/items/1%0d%0aX-Injected:%20yes', 400],
    ['//api/items', 404],
    ['/api//items', 404],
    ['/api/nope/../items', 404],
    ['/api/items?page=2', 200],
    ['/../../etc/passwd', 404],
    ['/docs/..%2f..%2fpackage.json', 404],
  ])('GET %s is %d', async (path, status) => {
    const received = await exchange([head(`GET ${path} HTTP/1.1`, 'Connection: close')], 'end');
    expect(statuses(received)).toEqual([status]);
    expect(received).not.toMatch(/^X-Injected/m);
  });
});

describe('a malformed request is refused in JSON, and the connection ends without running later requests', () => {
  const hidden = head('DELETE /api/users/1 HTTP/1.1');
  test.each<[string, string | Buffer, number]>([
    [
      'both Content-Length and Transfer-Encoding',
      `${head('POST /api/users HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${hidden}`,
      400,
    ],
    ['UTF-8 in the target', Buffer.from(head('GET /api/v2/items?name=Café HTTP/1.1') + hidden), 400],
    ['Latin-1 in the target', Buffer.from(head('GET /api/v2/items?name=Café HTTP/1.1') + hidden, 'latin1'), 400],
    ['two lengths', head('POST /api/users HTTP/1.1', 'Content-Length: 5', 'Content-Length: 6') + hidden, 400],
    ['a length that is not a number', head('POST /api/users HTTP/1.1', 'Content-Length: five') + hidden, 400],
    ['a negative length', head('POST /api/users HTTP/1.1', 'Content-Length: -1') + hidden, 400],
    ['a space before the colon', head('POST /api/users HTTP/1.1', 'Content-Length : 5') + hidden, 400],
    [
      'an unknown coding before chunked',
      head('POST /api/users HTTP/1.1', 'Transfer-Encoding: gzip, chunked') + hidden,
      501,
    ],
    ['an unknown transfer coding', head('POST /api/users HTTP/1.1', 'Transfer-Encoding: xchunked') + hidden, 400],
    ['a coding after chunked', head('POST /api/users HTTP/1.1', 'Transfer-Encoding: chunked, gzip') + hidden, 400],
    ['chunked twice', head('POST /api/users HTTP/1.1', 'Transfer-Encoding: chunked, chunked') + hidden, 400],
    ['no transfer coding at all', head('POST /api/users HTTP/1.1', 'Transfer-Encoding: ,') + hidden, 400],
    ...['5 ', '5 x', '5;', '5;=x', '5;a b', '5;a="b', '5;a=b c'].map((size): [string, string, number] => [
      `the chunk size ${JSON.stringify(size)}, where no body is read`,
      `${head('POST /nope HTTP/1.1', 'Transfer-Encoding: chunked')}${size}\r\nhello\r\n0\r\n\r\n${hidden}`,
      400,
    ]),
    ['a star with GET', head('GET * HTTP/1.1') + hidden, 400],
    ['a target of 20 KB', head(`GET /api/v2/items?name=${'x'.repeat(20_000)} HTTP/1.1`) + hidden, 414],
    ['a coding in HTTP/1.0', `POST /api/users HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`, 400],
    [
      'a chunk size that is not a number',
      `${head('POST /api/users HTTP/1.1', 'Transfer-Encoding: chunked')}zz\r\n${hidden}`,
      400,
    ],
    ['a folded header', head('GET /healthz HTTP/1.1', 'X-A: 1\r\n Content-Length: 5') + hidden, 400],
    ['no Host', `GET /healthz HTTP/1.1\r\n\r\n${hidden}`, 400],
    ['bare line feeds', `GET /healthz HTTP/1.1\nHost: localhost\n\n${hidden}`, 400],
    ['bytes that are not a request', `\u0000\u0001\u0002${hidden}`, 400],
    ['two Hosts', head('GET /healthz HTTP/1.1', 'Host: other') + hidden, 400],
    ['a control character in a header', head('GET /healthz HTTP/1.1', 'X-A: a\u0001b') + hidden, 400],
    ['a bare carriage return', head('GET /healthz HTTP/1.1', 'X-A: a\rContent-Length: 5') + hidden, 400],
    ['no path', head('GET  HTTP/1.1') + hidden, 400],
    ['HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`, 505],
    [
      'a malformed trailer',
      `${head('POST /api/users HTTP/1.1', 'Transfer-Encoding: chunked')}0\r\nga\rrba\0ge\r\n\r\n${hidden}`,
      400,
    ],
    ['a target that is not a path', head('GET ab/healthz HTTP/1.1') + hidden, 400],
    ['a Host with a space', `GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n${hidden}`, 400],
    ['a Host with a path', `GET /healthz HTTP/1.1\r\nHost: localhost/a\r\n\r\n${hidden}`, 400],
    ['a Host with a user', `GET /healthz HTTP/1.1\r\nHost: a@localhost\r\n\r\n${hidden}`, 400],
    ['a Host that is not an address', `GET /healthz HTTP/1.1\r\nHost: [::x]\r\n\r\n${hidden}`, 400],
    ['an address with a user', head('GET http://a@localhost/healthz HTTP/1.1') + hidden, 400],
    ['a path inside a query', head('GET http://?/healthz HTTP/1.1') + hidden, 400],
    ['TLS', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), 400],
    ['more than a hundred headers', head('GET /healthz HTTP/1.1', ...Array(101).fill('X-A: 1')) + hidden, 431],
    ['a header of 100 KB', head('GET /healthz HTTP/1.1', `X-Big: ${'x'.repeat(100_000)}`) + hidden, 431],
  ])('%s', async (_, bytes, status) => {
    const received = await exchange([bytes], 'end');
    expect(statuses(received)).toEqual([status]);
    expect(received).toContain('Connection: close');
    expect(received).toMatch(/\r\n\r\n\{"detail":"[^"]+"\}$/);
    const alive = await fetch(`${server.url}/api/users/1`);
    expect(alive.status).toBe(200);
    await alive.arrayBuffer();
  });
});

test('--keep-alive sets the Keep-Alive header and closes an idle connection', async () => {
  const own = await startServer({ limits: { keepAlive: 1000 } });
  try {
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    const ended = new Promise((resolve) => socket.on('end', resolve));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(head('GET /healthz HTTP/1.1'));
    await ended;
    expect(received).toContain('\r\nKeep-Alive: timeout=1\r\n');
    socket.destroy();
  } finally {
    await own.stop();
  }
});

test('a client that never finishes its body delays a stop only until the deadline', async () => {
  const own = await startServer();
  const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const asked = new Promise((resolve) => socket.once('data', resolve));
  socket.write(head('POST /api/users HTTP/1.1', 'Content-Length: 1000', 'Expect: 100-continue'));
  await asked;
  await own.stop(100);
  await closed;
});

test('a client that disconnects in the middle of a body adds nothing', async () => {
  const before = await countUsers();
  for (let round = 0; round < 20; round++) {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
        socket.write(head('POST /api/users HTTP/1.1', 'Content-Length: 1000') + user, () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
  }
  expect(await countUsers()).toBe(before);
});
