/** npm run bench -- --console: how heavy the console is, and how quick, in Chromium with a million records. */
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { seed } from '../../test/support/data/seed.ts';
import { launch } from '../../test/support/pages/browser.ts';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { type Claim, median } from '../measure/claim.ts';
import { startShelfOn } from '../servers/shelf.ts';
import { busyFeed } from './console-feed.ts';

/** What the console has to keep within. */
const most = { scriptKb: 120, paintMs: 200, homeMs: 500, rowsMs: 300 };
/** Of 60, which is what Chromium draws without a screen. */
const leastFrames = 55;

export async function consoleBench(folder: string, isQuick: boolean, say: (text: string) => void): Promise<Claim[]> {
  const path = join(folder, 'console.db');
  const records = isQuick ? 5000 : 1_000_000;
  say(`adding ${records.toLocaleString('en-US')} records`);
  await seed(path, records);
  const server = await startShelfOn(path, freePort());
  const browser = await launch();
  try {
    const rounds = isQuick ? 1 : 11;
    say('the size of the console');
    const sizes = await compressed(server.base);
    say('the first paint, and the first rows');
    // A browser that has just started is slow with its first page.
    await timeTo(browser, `${server.base}/console`, paintTime);
    const paints = await repeated(rounds, () => timeTo(browser, `${server.base}/console`, paintTime));
    const homes = await repeated(rounds, () => timeTo(browser, `${server.base}/console`, homeTime));
    const rows = await repeated(rounds, () => timeTo(browser, `${server.base}/console/items`, rowTime));
    say('scrolling');
    const frames = await scrolled(browser, `${server.base}/console/items`, isQuick ? 1000 : 10_000);
    const [paint, home, first] = [median(paints), median(homes), median(rows)];
    const counted = records.toLocaleString('en-US');
    return [
      {
        title: 'script, compressed',
        value: `${kb(sizes.script)} (style ${kb(sizes.style)})`,
        must: `< ${most.scriptKb} KB`,
        holds: sizes.script < most.scriptKb * 1000,
      },
      {
        title: 'first paint',
        value: `${paint.toFixed(0)} ms (median of ${rounds})`,
        must: `< ${most.paintMs} ms`,
        holds: paint < most.paintMs,
      },
      {
        title: 'the home screen, from the address on',
        value: `${home.toFixed(0)} ms (median of ${rounds})`,
        must: `< ${most.homeMs} ms`,
        holds: home < most.homeMs,
      },
      {
        title: `first rows of ${counted} records, from the address on`,
        value: `${first.toFixed(0)} ms (median of ${rounds})`,
        must: `< ${most.rowsMs} ms`,
        holds: first < most.rowsMs,
      },
      {
        title: `scrolling through ${counted} records`,
        value: `${frames.perSecond.toFixed(0)} frames a second, each with ${frames.workMs.toFixed(1)} ms of work`,
        must: `>= ${leastFrames}`,
        holds: frames.perSecond >= leastFrames,
      },
      await busyFeed(browser, server.base, isQuick ? 2 : 600, say),
    ];
  } finally {
    await browser.close();
    await server.stop();
  }
}

const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;

async function compressed(base: string): Promise<{ readonly script: number; readonly style: number }> {
  const size = async (path: string) => {
    const request = { headers: { 'Accept-Encoding': 'zstd' }, decompress: false };
    return (await (await fetch(base + path, request)).arrayBuffer()).byteLength;
  };
  // The scripts that the first page loads.
  const page = await (await fetch(`${base}/console`)).text();
  const scripts = [...page.matchAll(/(?:src|modulepreload" href)="([^"]+\.js)"/g)].map(([, path]) => path ?? '');
  const sizes = await Promise.all(scripts.map(size));
  return { script: sizes.reduce((sum, bytes) => sum + bytes, 0), style: await size('/console/-/console.css') };
}

async function repeated(times: number, measure: () => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  for (let time = 0; time < times; time++) found.push(await measure());
  return found;
}

const paintTime = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`;
const homeTime = 'globalThis.seen?.h1';
const rowTime = `globalThis.seen?.['tr[id^="row-"]']`;
/** Notes when the title of a screen is there, and the first row with a record. */
const watchPage = `new MutationObserver(() => {
  for (const part of ['h1', 'tr[id^="row-"]'])
    if (document.querySelector(part) !== null) (globalThis.seen ??= {})[part] ??= performance.now();
}).observe(document, { childList: true, subtree: true })`;

/** Looks with every frame, until it has a value. */
const awaited = (time: string) => `new Promise((resolve) => {
  const look = () => (${time} === undefined ? requestAnimationFrame(look) : resolve(${time}));
  look();
})`;

/** Milliseconds from the navigation of a new page on, with an empty cache. */
async function timeTo(browser: Browser, url: string, time: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(watchPage);
  await page.goto(url);
  const ms = Number(await page.evaluate(awaited(time)));
  await context.close();
  return ms;
}

/** Scrolls by a notch of a wheel with every frame: a person who turns it as fast as possible. */
const scroll = (ms: number) => `new Promise((resolve) => {
  let frame = document.querySelector('tr[id^="row-"]');
  while (frame.scrollHeight <= frame.clientHeight) frame = frame.parentElement;
  const times = [];
  const step = (now) => {
    times.push(now);
    frame.scrollTop += 100;
    if (now - times[0] < ${ms}) requestAnimationFrame(step);
    else resolve(times);
  };
  requestAnimationFrame(step);
})`;

async function scrolled(browser: Browser, url: string, ms: number) {
  const page: Page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  await page.waitForSelector('tr[id^="row-"]');
  const session = await page.context().newCDPSession(page);
  // The processor's time, which other programs on the machine do not lengthen.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await workMs(session);
  const times = (await page.evaluate(scroll(ms))) as number[];
  const work = (await workMs(session)) - before;
  await page.close();
  const frames = times.length - 1;
  return { perSecond: (frames * 1000) / ms, workMs: work / frames };
}

/** What the page has done on its main thread. */
async function workMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}
