/**
 * Changes the declarations of running servers under load, and kills them meanwhile, every other time between the file and the commit: no
 * acknowledged write is lost, followers are told of each once, no answer and no change mixes two declarations, after a kill the file and the
 * database agree, or the next start says what to do, and then all instances serve the file.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../test/support/servers/command.ts';
import { type Shelf, startShelf, command as usual } from '../../test/support/servers/process.ts';
import type { EngineUnderTorture } from '../support/engines.ts';
import type { Judged } from '../support/torture.ts';
import { Clients } from './clients.ts';
import { Followers } from './followers.ts';
import { buildKilledServer } from './killed-server.ts';
import { allowed, other, type Shape, textOf } from './shapes.ts';

export type Plan = {
  readonly folder: string;
  /** Changes of the declarations. */
  readonly changes: number;
  /** Every so many changes, a server is killed during one. */
  readonly killEvery: number;
  /** Between two requests of a client, in milliseconds. */
  readonly pauseMs: number;
  readonly command?: readonly string[];
  say(progress: string): void;
};

/** Of one change, on a machine that is busy. */
const mostTries = 10;
/** In milliseconds: how long an instance may take to follow another one. */
const followMs = 20_000;

export async function runTakeovers(
  { name, args }: EngineUnderTorture,
  { folder, changes, killEvery, pauseMs, say, command = usual }: Plan,
): Promise<Judged> {
  const file = join(folder, `${name}-running.json`);
  writeFileSync(file, textOf('old'));
  const clients = new Clients(pauseMs);
  const complaints: string[] = [];
  /** PostgreSQL serves from several instances. */
  const servers: Shelf[] = [];
  const serverArgs = ['--config', file, ...args, '--log-level', 'error'];
  const killedCommand = Number.isFinite(killEvery) ? await buildKilledServer(folder) : command;
  let advised = 0;
  /** Changes that were refused until requests in flight had ended. */
  let delayed = 0;

  async function start(): Promise<Shelf> {
    for (;;) {
      try {
        return await startShelf({ args: serverArgs, command });
      } catch (error) {
        // The file was replaced, and its step has to be allowed.
        const said = String(error);
        if (!said.includes('shelf migrate --allow')) throw error;
        advised++;
        await runCommand(
          [...command, 'migrate', '--config', file, ...databaseOf(args), '--allow', allowed.join(',')],
          {},
        );
      }
    }
  }

  async function settingsOf({ url }: Shelf): Promise<{ tag: string; text: string }> {
    const answer = await fetch(`${url}/api/v2/settings`);
    return { tag: answer.headers.get('etag') ?? '', text: ((await answer.json()) as { text: string }).text };
  }

  /** The status of the change; undefined if the server was killed. A change that waited too long for requests in flight is made again. */
  async function change(server: Shelf, to: Shape): Promise<number | undefined> {
    try {
      for (let tries = 1; ; tries++) {
        const { tag } = await settingsOf(server);
        const answer = await fetch(`${server.url}/api/v2/settings`, {
          ...{ method: 'PUT', headers: { 'If-Match': tag, 'Content-Type': 'application/json' } },
          body: JSON.stringify({ text: textOf(to), allow: allowed }),
        });
        const body = await answer.text();
        if (answer.status === 200) return 200;
        if (answer.status === 503 && tries < mostTries) {
          delayed++;
          continue;
        }
        complaints.push(`change: ${answer.status} ${body.slice(0, 300)}`);
        return answer.status;
      }
    } catch {
      return undefined;
    }
  }

  function replaceServer(place: number, next: Shelf): void {
    servers[place] = next;
    clients.urls = servers.map(({ url }) => url);
  }

  async function killAtAnyMoment(server: Shelf, target: Shape): Promise<void> {
    const changing = change(server, target);
    await Promise.race([changing, Bun.sleep(Math.random() * (durations.at(-1) ?? 100) * 1.2)]);
    await server.stop('SIGKILL');
    await changing;
  }

  /** The next start cannot do the steps of the file, so it says how to allow them. */
  async function killBeforeCommit(place: number, target: Shape): Promise<void> {
    await servers[place]?.stop();
    const dying = await startShelf({ args: serverArgs, command: killedCommand });
    replaceServer(place, dying);
    const status = await change(dying, target);
    if (status !== undefined) await dying.stop('SIGKILL');
    await dying.exited;
    if (status !== undefined || shapeOnDisk() !== target)
      complaints.push(`change: the server did not die between the file and the commit, but answered ${status}`);
    const before = advised;
    replaceServer(place, await start());
    if (advised === before) complaints.push('change: a start went on although the file was not committed');
  }

  /** Until all instances serve the file. */
  async function follow(): Promise<void> {
    const deadline = performance.now() + followMs;
    for (const server of servers) {
      for (let served = await shapeServed(server); served !== shapeOnDisk(); served = await shapeServed(server)) {
        if (performance.now() > deadline) {
          complaints.push(`change: the file is ${shapeOnDisk()}, and an instance serves ${served}`);
          break;
        }
        await Bun.sleep(5);
      }
    }
  }

  const shapeOnDisk = (): Shape => (readFileSync(file, 'utf8') === textOf('new') ? 'new' : 'old');
  servers.push(await start());
  if (name === 'postgres') servers.push(await start());
  clients.urls = servers.map(({ url }) => url);
  const followers = new Followers(4, () => clients.urls);
  await followers.start();
  const running = clients.run(6, 4);
  const durations: number[] = [];
  let kills = 0;
  try {
    // After a violation there is nothing left to find, and a broken server may take no more writes.
    for (let round = 1; round <= changes && clients.complaints.size === 0; round++) {
      const place = round % servers.length;
      const server = servers[place];
      if (server === undefined) break;
      const known = clients.acknowledged.size;
      for (let waited = 0; clients.acknowledged.size < known + 20 && waited < 2000; waited++) await Bun.sleep(5);
      const target = other(shapeOnDisk());
      if (round % killEvery === 0) {
        if (kills++ % 2 === 0) {
          await killAtAnyMoment(server, target);
          replaceServer(place, await start());
        } else await killBeforeCommit(place, target);
        await follow();
      } else {
        const began = performance.now();
        await change(server, target);
        durations.push(performance.now() - began);
        if (shapeOnDisk() !== target) complaints.push(`round ${round}: the file is not the new one`);
      }
      for (const one of readdirSync(folder)) if (one.includes('.before-')) rmSync(join(folder, one));
      say(
        `${name}: change ${round}/${changes}, ${clients.acknowledged.size} writes, ${kills} kills, ${advised} advised`,
      );
    }
  } finally {
    clients.end();
    await running;
  }
  const [first] = servers;
  if (first !== undefined) complaints.push(...(await clients.verify(first.url)));
  // Followers of a broken server may never catch up.
  complaints.push(...(await followers.verify(clients.complaints.size === 0 ? clients.acknowledged : new Map())));
  for (const server of servers) {
    const code = await server.stop();
    if (code !== 0) complaints.push(`the server ended with ${code}: ${await server.errors()}`);
  }
  const sorted = durations.toSorted((left, right) => left - right);
  return {
    figures: {
      [`${name} running: changes`]: changes,
      [`${name} running: kills`]: kills,
      [`${name} running: kills between the file and the commit`]: Math.floor(kills / 2),
      [`${name} running: starts that said what to do`]: advised,
      // On a quiet machine there are none.
      ...(delayed === 0 ? {} : { [`${name} running: changes refused for requests in flight`]: delayed }),
      [`${name} running: writes`]: clients.acknowledged.size,
      [`${name} running: reads`]: clients.reads,
      [`${name} running: changes told to followers`]: followers.changes,
      [`${name} running: connections of followers`]: followers.connects,
      [`${name} running: median ms of a change`]: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
      [`${name} running: longest ms of an answer`]: Math.round(clients.longest),
    },
    complaints: complaints.map((one) => `${name} running: ${one}`),
  };
}

/** The shape of the first record, or the status of an answer without one. */
async function shapeServed({ url }: Shelf): Promise<Shape | number> {
  const answer = await fetch(`${url}/api/v2/books?limit=1`);
  const { data: [book] = [] } = (await answer.json()) as { data?: object[] };
  return book === undefined ? answer.status : 'title' in book ? 'old' : 'new';
}

function databaseOf(args: readonly string[]): string[] {
  const at = args.indexOf('--database');
  return args.slice(at, at + 2);
}
