/** Mixed traffic for `--minutes N`: memory does not grow, nothing leaks, and no request fails. */
import { readdirSync } from 'node:fs';
import { startShelf } from '../test/support/servers/process.ts';
import { Client } from './soak/client.ts';
import { change, growth } from './soak/growth.ts';
import { AnsweringThreads } from './support/answering-threads.ts';
import { CollectingServer } from './support/collecting-server.ts';
import { onEngines } from './support/engines.ts';
import { megabytes } from './support/memory.ts';
import type { Run, Torture } from './support/torture.ts';

/** With these pauses, a load that a laptop serves together with its database and without being saturated. */
const clients = 16;
const pauseMs = 40;
const samples = 300;
const collections = 60;
/** A collection stops the threads. */
const minCollectMs = 1000;
/** Files that are open without traffic, besides those before it. A further serving thread starts its threads for searches and large bodies when it needs them. */
const allowedFiles = { always: 5, perFurtherThread: 10 };

async function soakOne(name: string, args: readonly string[], minutes: number, { folder, full, say, threads }: Run) {
  const complaints = new Set<string>();
  const server = new CollectingServer(folder, name);
  const shelf = await startShelf({
    args: [...args, '--log', 'off', '--metrics', 'on', '--keep-alive', '5s'],
    ...server.start,
  });
  const collecting = setInterval(() => server.collect(), Math.max(minCollectMs, (minutes * 60_000) / collections));
  const files = () => readdirSync(`/proc/${shelf.pid}/fd`).length;
  try {
    await fetch(`${shelf.url}/api/v2/items`);
    const filesBefore = files();
    const answering = new AnsweringThreads();
    const all = Array.from({ length: clients }, () => new Client(shelf.url, answering, (one) => complaints.add(one)));
    const end = performance.now() + minutes * 60_000;
    const working = all.map(async (client) => {
      while (performance.now() < end) {
        await client.step();
        await Bun.sleep(pauseMs);
      }
    });
    const sizes = { live: [] as number[], resident: [] as number[] };
    for (let n = 0; n < samples; n++) {
      await Bun.sleep((minutes * 60_000) / samples);
      sizes.live.push(server.liveMegabytes);
      sizes.resident.push(megabytes(shelf.pid));
      if (full && n % 50 === 49) {
        const [live, resident] = [sizes.live.at(-1)?.toFixed(1), sizes.resident.at(-1)?.toFixed(0)];
        say(`${name}: ${Math.round(((n + 1) / samples) * minutes)} min, ${live} MB live, ${resident} MB resident`);
      }
    }
    await Promise.all(working);
    for (const complaint of answering.complaints(name === 'sqlite' ? threads : 1)) complaints.add(complaint);
    const requests = all.reduce((sum, client) => sum + client.requests, 0);

    // The clients keep their connections for reuse; the server closes each after five idle seconds.
    const further = name === 'sqlite' ? threads - 1 : 0;
    const allowed = filesBefore + allowedFiles.always + further * allowedFiles.perFurtherThread;
    let left = files();
    for (let n = 0; n < 300 && left > allowed; n++) {
      await Bun.sleep(250);
      left = files();
    }
    if (left > allowed) complaints.add(`open files: ${filesBefore} before, ${left} after`);
    const text = await (await fetch(`${shelf.url}/metrics`)).text();
    const figure = (wanted: string) => Number(new RegExp(`^${wanted} (\\S+)$`, 'm').exec(text)?.[1] ?? -1);
    for (const gauge of ['shelf_held_bytes', 'shelf_listeners', 'shelf_writes_waiting', 'shelf_reads_waiting']) {
      if (figure(gauge) > 0) complaints.add(`${gauge} is ${figure(gauge)} without traffic, expected 0`);
    }
    // A short run consists of warm-up only.
    if (full) for (const complaint of growth(sizes)) complaints.add(complaint);
    else if (sizes.live.at(-1) === 0) complaints.add('the server reports no live memory');
    if ((await shelf.stop()) !== 0) complaints.add('the server did not stop cleanly');
    const [live, resident] = [change(sizes.live), change(sizes.resident)];
    return {
      complaints: [...complaints].map((one) => `${name}: ${one}`),
      figures: {
        [`${name} requests`]: requests,
        [`${name} MB live after the warm-up`]: tenths(live.first),
        [`${name} MB live at the end`]: tenths(live.last),
        [`${name} MB resident after the warm-up`]: Math.round(resident.first),
        [`${name} MB resident at the end`]: Math.round(resident.last),
        [`${name} files before`]: filesBefore,
        [`${name} files after`]: left,
      },
    };
  } finally {
    clearInterval(collecting);
    await shelf.stop('SIGKILL');
  }
}

const tenths = (value: number) => Math.round(value * 10) / 10;

export const soak: Torture = (run) => {
  const minutes = run.full ? run.minutes : 0.05;
  // At the same time, because no speed is measured.
  return onEngines(run, (engines) => Promise.all(engines.map(({ name, args }) => soakOne(name, args, minutes, run))));
};
