/** Many who follow the live feed, through reconnects and a restart: nothing is lost, doubled or out of order. */
import { connect, type Socket } from 'node:net';
import { type Shelf, startShelf } from '../test/process.ts';
import { type EngineUnderTorture, inTurn, onEngines } from './engines.ts';
import { Follower } from './follower.ts';
import { megabytes } from './memory.ts';
import type { Run, Torture } from './torture.ts';

const size = { full: { listeners: 1000, stuck: 100, rounds: 10 }, short: { listeners: 100, stuck: 10, rounds: 3 } };
/** Longer than the server bears a reader that makes no progress. */
const stallMs = 40_000;

/** Writes to every instance in turn for a while; answers how many were acknowledged. */
async function write(urls: readonly string[], count: number): Promise<number> {
  let done = 0;
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let n = writer; n < count; n += 8) {
        const url = urls[n % urls.length];
        const answer = await fetch(`${url}/api/v2/items`, { method: 'POST', body: `{"name":"change ${n}","price":1}` });
        if (answer.status === 201) done++;
      }
    }),
  );
  return done;
}

/** Asks for the feed and never reads it; answers a promise of its end. */
function stick(url: string): { readonly socket: Socket; readonly cut: Promise<void> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  const cut = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.write('GET /api/v2/events?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  socket.pause();
  return { socket, cut };
}

async function follow(args: readonly string[], instances: number, { full, say }: Run, name: string) {
  const { listeners, stuck, rounds } = full ? size.full : size.short;
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
        300,
      );
      for (const follower of followers) if (Math.random() < 0.2) follower.cut();
      written += await writing;
      if (round === Math.floor(rounds / 2)) {
        const codes = await Promise.all(shelves.map((shelf) => shelf.stop()));
        if (codes.some((code) => code !== 0)) complaints.push('an instance did not stop cleanly');
        await start();
      }
    }
    const deadline = performance.now() + 60_000;
    while (followers.some(({ count }) => count < written) && performance.now() < deadline) await Bun.sleep(20);

    const sum = (written * (written + 1)) / 2;
    for (const { complaint, count, sum: heard } of followers) {
      if (complaint !== undefined) complaints.push(`a follower ${complaint}`);
      else if (count !== written || (instances === 1 && heard !== sum)) {
        complaints.push(`a follower was told of ${count} of ${written} changes`);
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

/** Those who never read cost little, and are cut; the long wait for that is part of the full form alone. */
async function stall(shelf: Shelf, stuck: number, full: boolean, complaints: string[], say: Run['say'], name: string) {
  // Together far more than the sockets of one of them hold; once without them, to know what the changes cost alone.
  async function writeLarge(): Promise<void> {
    const body = `{"name":"${'x'.repeat(900_000)}","price":1}`;
    for (let n = 0; n < 16; n++) {
      const answer = await fetch(`${shelf.url}/api/v2/items`, { method: 'POST', body });
      if (answer.status !== 201) complaints.push(`a large record was answered with ${answer.status}`);
    }
  }
  const reader = new Follower(0, () => shelf.url);
  await reader.connect();
  await writeLarge();
  const before = megabytes(shelf.pid);
  const clients = Array.from({ length: stuck }, () => stick(shelf.url));
  await writeLarge();
  reader.stop();
  const during = megabytes(shelf.pid);
  let cut = 0;
  for (const client of clients) client.cut.then(() => cut++);
  if (full) {
    const deadline = performance.now() + stallMs;
    while (performance.now() < deadline) await Bun.sleep(200);
    for (const { socket } of clients) socket.resume();
    await Promise.race([Promise.all(clients.map((client) => client.cut)), Bun.sleep(10_000)]);
    if (cut < stuck) complaints.push(`${stuck - cut} of ${stuck} who never read were not cut`);
  }
  for (const { socket } of clients) socket.destroy();
  const grown = during - before;
  say(`${name}: ${stuck} who never read cost ${grown.toFixed(0)} MB${full ? `, ${cut} were cut` : ''}`);
  // What is at hand for everybody, and for each of them a part and what its socket holds.
  if (grown > 100 + stuck * 4) complaints.push(`those who never read cost ${grown.toFixed(0)} MB`);
  return { [`${name} MB for those who never read`]: Math.max(1, Math.round(grown)) };
}

/** The short form mostly waits for restarts, reconnects and the disk, so it runs both engines at the same time. */
export const listeners: Torture = (run) =>
  onEngines(run, (engines) => {
    const one = ({ name, database }: EngineUnderTorture) =>
      follow(['--database', database, '--log', 'off'], name === 'postgres' ? 2 : 1, run, name);
    return run.full ? inTurn(engines, one) : Promise.all(engines.map(one));
  });
