/**
 * Changes the declarations of running servers under load, and kills them meanwhile: no acknowledged write is lost, no answer mixes two
 * declarations, and after a kill the file and the database agree, or the next start says what to do.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../test/support/servers/command.ts';
import { type Shelf, startShelf, command as usual } from '../../test/support/servers/process.ts';
import type { EngineUnderTorture } from '../support/engines.ts';
import type { Judged } from '../support/torture.ts';
import { Clients } from './clients.ts';
import { allowed, other, type Shape, textOf } from './shapes.ts';

export type Plan = {
  readonly folder: string;
  /** Changes of the declarations. */
  readonly changes: number;
  /** Every so many changes, a server is killed during one. */
  readonly killEvery: number;
  readonly command?: readonly string[];
  say(progress: string): void;
};

export async function runTakeovers(
  { name, args }: EngineUnderTorture,
  { folder, changes, killEvery, say, command = usual }: Plan,
): Promise<Judged> {
  const file = join(folder, `${name}-running.json`);
  writeFileSync(file, textOf('old'));
  const clients = new Clients();
  const complaints: string[] = [];
  /** PostgreSQL serves from several instances. */
  const servers: Shelf[] = [];
  const serverArgs = ['--config', file, ...args, '--log-level', 'error'];
  let advised = 0;

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

  /** The status of the change; undefined if the server was killed. */
  async function change(server: Shelf, to: Shape): Promise<number | undefined> {
    try {
      const { tag } = await settingsOf(server);
      const answer = await fetch(`${server.url}/api/v2/settings`, {
        ...{ method: 'PUT', headers: { 'If-Match': tag, 'Content-Type': 'application/json' } },
        body: JSON.stringify({ text: textOf(to), allow: allowed }),
      });
      const body = await answer.text();
      if (answer.status !== 200) complaints.push(`change: ${answer.status} ${body.slice(0, 300)}`);
      return answer.status;
    } catch {
      return undefined;
    }
  }

  const shapeOnDisk = (): Shape => (readFileSync(file, 'utf8') === textOf('new') ? 'new' : 'old');
  servers.push(await start());
  if (name === 'postgres') servers.push(await start());
  clients.urls = servers.map(({ url }) => url);
  const running = clients.run(6, 4);
  const durations: number[] = [];
  let kills = 0;
  try {
    for (let round = 1; round <= changes; round++) {
      const place = round % servers.length;
      const server = servers[place];
      if (server === undefined) break;
      const known = clients.acknowledged.size;
      for (let waited = 0; clients.acknowledged.size < known + 20 && waited < 2000; waited++) await Bun.sleep(5);
      const target = other(shapeOnDisk());
      const began = performance.now();
      const changing = change(server, target);
      if (round % killEvery === 0) {
        const usually = durations.at(-1) ?? 100;
        await Promise.race([changing, Bun.sleep(Math.random() * usually * 1.2)]);
        await server.stop('SIGKILL');
        await changing;
        kills++;
        const next = await start();
        servers[place] = next;
        clients.urls = servers.map(({ url }) => url);
        const [served] = await shapesServed(next);
        if (served !== undefined && served !== shapeOnDisk())
          complaints.push(`round ${round}: the file is ${shapeOnDisk()}, and ${served} is served`);
      } else {
        await changing;
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
  for (const server of servers) {
    const code = await server.stop();
    if (code !== 0) complaints.push(`the server ended with ${code}: ${await server.errors()}`);
  }
  const sorted = durations.toSorted((left, right) => left - right);
  return {
    figures: {
      [`${name} running: changes`]: changes,
      [`${name} running: kills`]: kills,
      ...(advised > 0 ? { [`${name} running: starts that said what to do`]: advised } : {}),
      [`${name} running: writes`]: clients.acknowledged.size,
      [`${name} running: reads`]: clients.reads,
      [`${name} running: median ms of a change`]: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
      [`${name} running: longest ms of an answer`]: Math.round(clients.longest),
    },
    complaints: complaints.map((one) => `${name} running: ${one}`),
  };
}

/** The shape of the first record; empty if there is none. */
async function shapesServed({ url }: Shelf): Promise<Shape[]> {
  const { data } = (await (await fetch(`${url}/api/v2/books?limit=1`)).json()) as { data: object[] };
  return data.map((book) => ('title' in book ? 'old' : 'new'));
}

function databaseOf(args: readonly string[]): string[] {
  const at = args.indexOf('--database');
  return args.slice(at, at + 2);
}
