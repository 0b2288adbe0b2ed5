/** Many clients follow the live feed through reconnects and a restart: no change is lost, doubled or out of order. */
import { connect, type Socket } from 'node:net';
import { type Shelf, startShelf } from '../../test/support/servers/process.ts';
import { AnsweringThreads } from '../support/answering-threads.ts';
import { type EngineUnderTorture, inTurn, onEngines } from '../support/engines.ts';
import { Follower } from '../support/follower.ts';
import { megabytes } from '../support/memory.ts';
import type { Run, Torture } from '../support/torture.ts';

const size = {
  full: { listeners: 1000, stuck: 100, rounds: 10, writes: 300 },
  short: { listeners: 20, stuck: 5, rounds: 2, writes: 80 },
};
/** Longer than the server waits for a reader that makes no progress. */
const stallMs = 40_000;

/** Each has a connection of its own. */
const writers = 16;

/** Writes `count` records, to every instance in turn; returns how many were acknowledged. */
async function write(urls: readonly string[], count: number, threads: AnsweringThreads): Promise<number> {
  let done = 0;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = writer; n < count; n += writers) {
        const url = urls[n % urls.length];
        const answer = await fetch(`${url}/api/v2/items`, { method: 'POST', body: `{"name":"change ${n}","price":1}` });
        threads.add(answer.headers.get('X-Request-Id'));
        if (answer.status === 201) done++;
      }
    }),
  );
  return done;
}

/** Requests the feed and never reads it; `cut` resolves when the connection is closed. */
function connectStuck(url: string): { readonly socket: Socket; readonly cut: Promise<void> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  const cut = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.write('GET /api/v2/events?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  socket.pause();
  return { socket, cut };
}

async function follow(args: readonly string[], instances: number, run: Run, name: string) {
  const { full, say } = run;
  const threads = name === 'sqlite' ? run.threads : instances;
  const answering = new AnsweringThreads();
  const { listeners, stuck, rounds, writes } = full ? size.full : size.short;
  const complaints: string[] = [];
  let shelves: Shelf[] = [];
  const start = async () => {
    shelves = await Promise.all(Array.from({ length: instances }, () => startShelf({ args })));
  };
  await start();
  const any = () => shelves[Math.floor(Math.random() * shelves.length)]?.url ?? '';
  const followers = Array.from({ length: listeners }, () => new Follower(0, any));
  try {
    await Promise.all(followers.map((follower) => follower.connect()));
    let written = 2 * 1;
    for (let round = 0; round < rounds; round++) {
      const writing = write(
        shelves.map(({ url }) => url),
        writes,
        answering,
      );
      for (const follower of followers) if (Math.random() < 0.2) follower.cut();
      written += await writing;
      complaints.push(...answering.complaints(threads));
      if (round === Math.floor(rounds / 2)) {
        const codes = await Promise.all(shelves.map((shelf) => shelf.stop()));
        if (codes.some((code) => code !== 0)) complaints.push('an instance did not stop cleanly');
        answering.clear();
        await start();
      }
    }
    const deadline = performance.now() + 60_000;
    while (followers.some(({ count }) => count < written) && performance.now() < deadline) await Bun.sleep(20);

    const sum = (written * (written + 1)) / 2;
    for (const { complaint, count, sum: received } of followers) {
      if (complaint !== undefined) complaints.push(`a follower ${complaint}`);
      else if (count !== written || (instances === 1 && received !== sum)) {
        complaints.push(`a follower received ${count} of ${written} changes`);
      }
    }
    const connects = followers.reduce((all, follower) => all + follower.connects, 0);
    say(`${name}: ${listeners} followers, ${written} changes each, ${connects} connects, one restart`);
    for (const follower of followers) follower.stop();

    const memory = await stall(shelves[0] as Shelf, stuck, full, complaints, say, name);
    return { complaints, figures: { [`${name} changes`]: written, [`${name} connects`]: connects, ...memory } };
  } finally {
    for (const follower of followers) follower.stop();
    for (const shelf of shelves) await shelf.stop();
  }
}

/** Clients that never read take little memory, and are cut. Only the full run waits until they are. */
async function stall(shelf: Shelf, stuck: number, full: boolean, complaints: string[], say: Run['say'], name: string) {
  // Far more than one socket buffers. The first call, before those clients connect, shows what the changes alone take.
  async function writeLarge(): Promise<void> {
    const body = `{"name":"${'x'.repeat(900_000)}","price":1}`;
    for (let n = 0; n < 16; n++) {
      const answer = await fetch(`${shelf.url}/api/v2/items`, { method: 'POST', body });
      if (answer.status !== 201) complaints.push(`a large record: expected 201, got ${answer.status}`);
    }
  }
  const reader = new Follower(0, () => shelf.url);
  await reader.connect();
  await writeLarge();
  const before = megabytes(shelf.pid);
  const clients = Array.from({ length: stuck }, () => connectStuck(shelf.url));
  await writeLarge();
  reader.stop();
  // The recent changes that all share, and for each client one part and its socket buffer.
  const most = 100 + stuck * 4;
  // Garbage counts, too, until it is collected.
  const collected = performance.now() + 10_000;
  let during = megabytes(shelf.pid);
  while (during - before > most && performance.now() < collected) {
    await Bun.sleep(100);
    during = megabytes(shelf.pid);
  }
  let cut = 0;
  for (const client of clients) client.cut.then(() => cut++);
  if (full) {
    const deadline = performance.now() + stallMs;
    while (performance.now() < deadline) await Bun.sleep(200);
    for (const { socket } of clients) socket.resume();
    await Promise.race([Promise.all(clients.map((client) => client.cut)), Bun.sleep(10_000)]);
    if (cut < stuck) complaints.push(`${stuck - cut} of ${stuck} clients that never read were not cut`);
  }
  for (const { socket } of clients) socket.destroy();
  const grown = during - before;
  say(`${name}: ${stuck} clients that never read took ${grown.toFixed(0)} MB${full ? `, ${cut} were cut` : ''}`);
  if (grown > most) complaints.push(`clients that never read took ${grown.toFixed(0)} MB`);
  return { [`${name} MB for clients that never read`]: Math.max(1, Math.round(grown)) };
}

/** The short run mostly waits for restarts, reconnects and the disk, so it runs both engines at the same time. */
export const listeners: Torture = (run) =>
  onEngines(run, (engines) => {
    const one = ({ name, args }: EngineUnderTorture) =>
      follow([...args, '--log', 'off'], name === 'postgres' ? 2 : 1, run, name);
    return run.full ? inTurn(engines, one) : Promise.all(engines.map(one));
  });
