/** Very many records in one request and in one answer: memory use must not depend on their number. */
import { startShelf } from '../test/support/servers/process.ts';
import { inTurn, onEngines } from './support/engines.ts';
import { megabytes, peakMegabytes } from './support/memory.ts';
import type { Run, Torture } from './support/torture.ts';

/** In MB, over the memory before the first request. */
const maxGrowth = 150;

/** A body of `count` lines, produced in parts; the line number `broken` is not valid JSON. */
function records(count: number, broken = 0): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = 1;
  return new ReadableStream({
    pull(controller) {
      let text = '';
      for (let n = 0; n < 1000 && next <= count; n++, next++) {
        text +=
          next === broken
            ? '{"name":"broken"\n'
            : `{"external_id":${next},"name":"Item number ${next}","price":${next}.5}\n`;
      }
      if (text === '') controller.close();
      else controller.enqueue(new TextEncoder().encode(text));
    },
  });
}

async function load(args: readonly string[], count: number, { say }: Run, name: string) {
  const complaints: string[] = [];
  // No cache: its memory would hide the memory that the requests take.
  const shelf = await startShelf({ args: [...args, '--cache', '0', '--log', 'off'] });
  const before = megabytes(shelf.pid);
  const send = (broken = 0) =>
    fetch(`${shelf.url}/api/v2/items`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: records(count, broken),
    });
  const total = async () =>
    ((await (await fetch(`${shelf.url}/api/v2/items?count=exact&limit=1`)).json()) as { total: number }).total;
  const seconds = async (work: () => Promise<void>) => {
    const start = performance.now();
    await work();
    return Math.round((performance.now() - start) / 100) / 10;
  };

  try {
    const figures: Record<string, number> = { [`${name} records`]: count };
    await seconds(async () => {
      const refused = await send(count - 1);
      const text = await refused.text();
      if (refused.status !== 400 || !text.includes(`Line ${count - 1}:`))
        complaints.push(`a body with a broken line: ${text}`);
      if ((await total()) !== 1) complaints.push('records of a broken body were stored');
    });
    figures[`${name} seconds in`] = await seconds(async () => {
      const text = await (await send()).text();
      if (!text.startsWith(`{"created":${count},`)) complaints.push(`a body of ${count} records: ${text}`);
    });
    if ((await total()) !== count + 1) complaints.push('not every record was stored');
    figures[`${name} MB in`] = Math.round(peakMegabytes(shelf.pid) - before);

    for (const type of ['text/csv', 'application/x-ndjson']) {
      let lines = 0;
      figures[`${name} seconds out as ${type}`] = await seconds(async () => {
        const { body } = await fetch(`${shelf.url}/api/v2/items`, { headers: { Accept: type } });
        for await (const chunk of body ?? []) for (const byte of chunk) if (byte === 0x0a) lines++;
      });
      const expected = count + (type === 'text/csv' ? 2 : 1);
      if (lines !== expected) complaints.push(`${type}: expected ${expected} lines, got ${lines}`);
    }
    figures[`${name} MB in and out`] = Math.round(peakMegabytes(shelf.pid) - before);
    say(`${name}: ${count} records in and out, the process grew by ${figures[`${name} MB in and out`]} MB at its peak`);
    if ((figures[`${name} MB in and out`] ?? 0) > maxGrowth)
      complaints.push(`memory grew by more than ${maxGrowth} MB`);
    return { figures, complaints };
  } finally {
    await shelf.stop();
  }
}

export const bulk: Torture = (run) => {
  const count = run.full ? 1_000_000 : 5000;
  return onEngines(run, (engines) => inTurn(engines, ({ name, args }) => load(args, count, run, name)));
};
