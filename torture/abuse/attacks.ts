/** The attacks. Each returns the violations that it has seen. */
import { openRaw } from '../../test/support/servers/network/socket.ts';
import { ask, exchange, inParallel, type Line, open, statusOf } from './sockets.ts';

/** `wave` makes the random requests differ from those of earlier waves. */
export type Attack = (url: string, size: number, wave: number) => Promise<string[]>;

const head = (line: string, ...headers: string[]) => `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
const item = '{"id":7,"name":"Lamp","price":20}';

/** Sends `bytes` on every connection, five times a second. */
async function drip(lines: readonly Line[], bytes: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const { socket } of lines) socket.write(bytes);
    await Bun.sleep(200);
  }
}

/** Five seconds for the full size, one for a short run. */
const roundsFor = (size: number) => (size > 1000 ? 25 : 5);

async function hold(url: string, count: number, text: string, use: (lines: Line[]) => Promise<void>): Promise<void> {
  const lines: Line[] = [];
  await inParallel(count, 32, async () => {
    lines.push(await open(url, text));
  });
  await use(lines);
  for (const { socket } of lines) socket.terminate();
}

export const slowHeads: Attack = async (url, size) => {
  const text = 'GET /api/items HTTP/1.1\r\nX-Slow: ';
  await hold(url, Math.ceil(size / 20), text, (lines) => drip(lines, 'x', roundsFor(size)));
  return [];
};

export const slowBodies: Attack = async (url, size) => {
  const text = head('POST /api/items HTTP/1.1', 'Content-Length: 1000');
  await hold(url, Math.ceil(size / 20), text, (lines) => drip(lines, ' ', roundsFor(size)));
  return [];
};

export const slowReaders: Attack = async (url, size) => {
  await hold(url, Math.ceil(size / 50), head('GET /api/items HTTP/1.1').repeat(3), async (lines) => {
    for (const { socket } of lines) socket.pause();
    await Bun.sleep(roundsFor(size) * 200);
  });
  return [];
};

/** The full size reaches the limit on connections; beyond it only health is answered. */
export const idle: Attack = async (url, size) => {
  await hold(url, size, '', async () => {
    await Bun.sleep(1000);
  });
  return [];
};

/** Of large records, which are removed afterwards: they would count as memory that is not released. */
const storedId = 7_000_000;

async function removeStored(url: string): Promise<void> {
  while ((await ask(`${url}/api/users/${storedId}`, { method: 'DELETE' })).status === 204);
}

export const largeBodies: Attack = async (url, size) => {
  const complaints: string[] = [];
  const mebibyte = 1024 * 1024;
  const bodies: (readonly [string, string, number])[] = [
    ['nested arrays', '['.repeat(mebibyte - 100), 400],
    ['nested objects', '{"a":'.repeat(200_000), 400],
    ['nested and closed', '['.repeat(500_000) + ']'.repeat(500_000), 400],
    ['a long name', `{"id":${storedId},"name":"${'x'.repeat(mebibyte - 100)}","price":1}`, 201],
    ['very many fields', `{${Array.from({ length: 60_000 }, (_, n) => `"f${n}":${n}`).join()}}`, 400],
    ['very many digits', `{"id":${'9'.repeat(mebibyte - 100)},"name":"x","price":1}`, 400],
    ['escapes', `{"id":${storedId},"name":"${'\\u0041'.repeat(150_000)}","price":1}`, 201],
    ['too much', 'x'.repeat(2 * mebibyte), 413],
  ];
  await inParallel(Math.max(bodies.length, Math.ceil(size / 50)), 4, async (n) => {
    const [name, body, expected] = bodies[n % bodies.length] ?? ['', '', 0];
    for (const path of ['/api/users', '/api/v2/users']) {
      const { status } = await ask(url + path, { method: 'POST', body }).catch(() => ({ status: 0 }));
      // v2 refuses fields that are not declared.
      const fits = status === expected || (path.includes('v2') && (status === 400 || status === 413));
      if (!fits) complaints.push(`${name} at ${path}: expected ${expected}, got ${status}`);
    }
  });
  await removeStored(url);
  return complaints;
};

const post = (body: string) =>
  head('POST /api/users HTTP/1.1', 'Connection: close', `Content-Length: ${body.length}`) + body;

/**
 * One client sends large bodies on 30 connections, each in pieces, so that the thread that parses them never rests. Another one adds
 * `posts` records of 60 KB meanwhile: each waits for one or two of the large bodies, and not for all.
 */
export async function crowding(url: string, posts: number) {
  const large = post(`{"id":${storedId},"name":"greedy","rest":[${'1e1,'.repeat(250_000)}1]}`);
  const piece = Math.ceil(large.length / 8);
  const isAnswered = Promise.withResolvers<void>();
  let isOver = false;
  const [greedyMs, otherMs]: [number[], number[]] = [[], []];
  const greedy = Array.from({ length: 30 }, async () => {
    while (!isOver) {
      const client = openRaw(url, '', '127.0.0.2');
      for (let at = 0; at < large.length; at += piece) {
        client.socket.write(large.slice(at, at + piece), 'latin1');
        await Bun.sleep(20);
      }
      const sent = performance.now();
      await client.closed;
      greedyMs.push(performance.now() - sent);
      isAnswered.resolve();
    }
  });
  await isAnswered.promise;
  const complaints: string[] = [];
  for (let n = 0; n < posts; n++) {
    const start = performance.now();
    const received = await openRaw(url, post(`{"id":${storedId},"name":"${'x'.repeat(60_000)}"}`)).closed;
    otherMs.push(performance.now() - start);
    if (statusOf(received) !== 201) complaints.push(`60 KB of another client: ${received.slice(0, 200)}`);
  }
  isOver = true;
  await Promise.all(greedy);
  await removeStored(url);
  const figures = {
    median: median(otherMs),
    slowest: Math.max(...otherMs),
    greedy: median(greedyMs),
    bodies: greedyMs.length,
  };
  // Times of the same moment: how fast the machine is makes no difference.
  if (figures.median > figures.greedy / 2)
    complaints.push('a client that sends little waits as long as one that sends much');
  return { complaints, figures };
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

const valid = [
  head('GET /api/items HTTP/1.1'),
  head('GET /api/items/1?x=%20 HTTP/1.1', 'Accept-Encoding: gzip', 'If-None-Match: "x"'),
  head('POST /api/items HTTP/1.1', 'Content-Type: application/json', `Content-Length: ${item.length}`) + item,
  `${head('POST /api/users HTTP/1.1', 'Transfer-Encoding: chunked')}15\r\n{"id":2,"name":"raw"}\r\n0\r\n\r\n`,
  head('DELETE /api/users/9 HTTP/1.1'),
  `${head('PATCH /api/v2/items/1 HTTP/1.1', 'Content-Type: application/json', 'If-Match: "1"', 'Content-Length: 11')}{"price":1}`,
  head('GET /api/v2/items?price[gte]=1&sort=-price&limit=2 HTTP/1.1', 'Accept: text/csv'),
  `${head('POST /api/v2/items HTTP/1.1', 'Content-Type: application/x-ndjson', 'Content-Length: 24')}{"name":"a","price":1.5}\n`,
  head('GET /docs HTTP/1.1', 'Connection: close'),
  head('OPTIONS * HTTP/1.1'),
];
const fragments = [
  '\r\n',
  '\n',
  '\0',
  ' ',
  ':',
  '%',
  '%00',
  '%2e%2e/',
  '\x80\xff',
  '"',
  '99999999999999999999',
  '-',
  ',',
  '\t',
];

/** A valid request with some bytes changed, removed, repeated or inserted. */
function mutate(random: () => number): Uint8Array {
  const pick = <Value>(from: readonly Value[]) => from[Math.floor(random() * from.length)] as Value;
  let text = pick(valid);
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes--) {
    const at = Math.floor(random() * text.length);
    const length = Math.floor(random() * 6);
    const kind = Math.floor(random() * 5);
    if (kind === 0) text = text.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1);
    else if (kind === 1) text = text.slice(0, at) + text.slice(at + length);
    else if (kind === 2) text = text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at + length);
    else if (kind === 3) text = text.slice(0, at) + pick(fragments) + text.slice(at);
    else text = text.slice(0, at) + pick(valid).slice(at);
  }
  return Buffer.from(text, 'latin1');
}

/** Random numbers that are the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const malformed: Attack = async (url, size, wave) => {
  const complaints: string[] = [];
  const random = seeded(size + wave);
  await inParallel(size * 10, 32, async () => {
    const bytes = mutate(random);
    const received = await exchange(url, bytes).catch((error) => `${error}`);
    // No answer is right for bytes that are not even the beginning of a request.
    const status = statusOf(received);
    const isAllowed = received === '' || (status >= 200 && status < 500) || status === 501 || status === 505;
    if (!isAllowed)
      complaints.push(`${JSON.stringify(Buffer.from(bytes).toString('latin1'))} got ${received.slice(0, 200)}`);
  });
  return complaints;
};

const traversals = [
  '/../../../../etc/passwd',
  '/..%2f..%2f..%2fetc%2fpasswd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/docs/../../package.json',
  '/docs/..%2f..%2fpackage.json',
  '/docs/....//....//etc/passwd',
  '/redoc/..\\..\\package.json',
  '/problems/..%2f..%2fpackage.json',
  '/problems/%2e%2e',
  '//etc/passwd',
  '/api/items/..%2f..%2fetc%2fpasswd',
  '/docs/swagger-ui.css%00.js',
  '/file:///etc/passwd',
];

export const traversal: Attack = async (url) => {
  const complaints: string[] = [];
  for (const path of traversals) {
    const received = await exchange(url, Buffer.from(head(`GET ${path} HTTP/1.1`)));
    const status = statusOf(received);
    if (![400, 404].includes(status)) complaints.push(`${path}: expected 400 or 404, got ${status}`);
    if (/root:|"devDependencies"/.test(received)) complaints.push(`${path} reveals a file`);
  }
  return complaints;
};

/** No input may end a header of the answer or a line of the log. */
export const injection: Attack = async (url) => {
  const complaints: string[] = [];
  const marks = [
    '%0d%0aX-Injected:%20yes',
    '%0aX-Injected: yes',
    '\u2028X-Injected: yes',
    '\x1b[2J',
    '%E2%80%AE',
    '"}\\n{"level":"forged',
  ];
  for (const mark of marks) {
    for (const request of [
      head(`GET /api/items/1${mark.replaceAll(' ', '%20')} HTTP/1.1`),
      head('GET /api/items/1 HTTP/1.1', `X-Request-Id: ${mark}`),
      head('GET /api/items/1 HTTP/1.1', `traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01${mark}`),
      head('GET /api/items/1 HTTP/1.1', `Origin: http://x${mark}`, `X-Forwarded-For: ${mark}`),
      head(`GET /api/v2/items?cursor=${mark.replaceAll(' ', '%20')} HTTP/1.1`),
    ]) {
      const received = await exchange(url, Buffer.from(request, 'utf8'));
      const [answer = ''] = received.split('\r\n\r\n');
      if (/^X-Injected/im.test(answer)) complaints.push(`a header is injected by ${JSON.stringify(request)}`);
      if (statusOf(received) >= 500) complaints.push(`${JSON.stringify(request)} got ${statusOf(received)}`);
    }
  }
  return complaints;
};
