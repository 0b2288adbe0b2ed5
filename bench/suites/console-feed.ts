/** The memory of a page that follows a busy feed: it must not grow with what has passed. */
import type { Browser, CDPSession } from 'playwright-core';
import type { Claim } from '../measure/claim.ts';

/** Records in each bulk, and bulks a second. */
const load = { records: 50, perSecond: 10 };
/** The first part of the time fills what is bounded. */
const warmUp = 0.2;
const most = { times: 1.2, moreMb: 3 };

export async function busyFeed(
  browser: Browser,
  base: string,
  seconds: number,
  say: (text: string) => void,
): Promise<Claim> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${base}/console/-/live?collection=items`);
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  const session = await page.context().newCDPSession(page);
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1000;
  let sent = 0;
  let early = Number.NaN;
  while (passed() < seconds) {
    await add(base, sent);
    sent += load.records;
    if (Number.isNaN(early) && passed() > seconds * warmUp) early = await heapMb(session);
    if (sent % (load.records * load.perSecond) === 0) say(`a busy feed, ${Math.round(passed())} of ${seconds} s`);
    await Bun.sleep(Math.max(0, (sent / load.records / load.perSecond - passed()) * 1000));
  }
  const late = await heapMb(session);
  await page.getByText(`${sent.toLocaleString('en-US')} changes since you came`).waitFor();
  await page.close();
  return {
    title: `memory of the page after ${seconds} s of a live feed, ${sent.toLocaleString('en-US')} changes`,
    value: `${late.toFixed(1)} MB (${early.toFixed(1)} MB after ${(seconds * warmUp).toFixed(0)} s)`,
    must: `<= ${most.times}x, or ${most.moreMb} MB more`,
    holds: late <= Math.max(early * most.times, early + most.moreMb),
  };
}

async function add(base: string, from: number): Promise<void> {
  const lines = Array.from({ length: load.records }, (_, n) => `{"name":"Item ${from + n} of the feed","price":${n}}`);
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const response = await fetch(`${base}/api/v2/items/bulk`, { method: 'POST', headers, body: lines.join('\n') });
  if (!response.ok) throw new Error(await response.text());
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / 1e6;
}
