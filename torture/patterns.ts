/** Texts that hostile patterns almost match are sent to a server: each is answered as soon as any other. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startShelf } from '../test/support/servers/process.ts';
import { hostilePatterns } from './support/hostile-patterns.ts';
import { sqliteArgs, type Torture } from './support/torture.ts';

/** Of one request, in a full run: the short one is not alone on its machine. */
const longestMs = 50;
/** Requests that are compared: other work on the machine delays some, and a pattern all of them. */
const attempts = 3;

export const patterns: Torture = async (run) => {
  const { folder, full } = run;
  const fields = hostilePatterns.map(({ pattern }, number) => [
    `f${number}`,
    { type: 'text', pattern, optional: true },
  ]);
  const config = join(folder, 'patterns.json');
  writeFileSync(config, JSON.stringify({ collections: { texts: { fields: Object.fromEntries(fields) } } }));
  const args = [...sqliteArgs(join(folder, 'patterns.db'), run), '--log', 'off', '--config', config];
  const shelf = await startShelf({ args });
  const complaints: string[] = [];
  let slowest = 0;
  let refused = 0;
  const characters = full ? 50_000 : 5000;
  const send = async (body: object) => {
    const started = performance.now();
    const { status } = await fetch(`${shelf.url}/api/v2/texts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status, ms: performance.now() - started };
  };
  try {
    // Each thread makes the tables with its first request.
    for (let warmUp = 0; warmUp < 10 * run.threads; warmUp++) await send({});
    for (const [number, { pattern, text }] of hostilePatterns.entries()) {
      const body = { [`f${number}`]: text(characters) };
      const answers: Awaited<ReturnType<typeof send>>[] = [];
      for (let attempt = 0; attempt < (full ? attempts : 1); attempt++) answers.push(await send(body));
      const ms = Math.min(...answers.map((one) => one.ms));
      const status = answers[0]?.status;
      slowest = Math.max(slowest, ms);
      if (status === 400) refused++;
      if (status !== 400 && status !== 201) complaints.push(`${pattern}: answered ${status}`);
      if (full && ms > longestMs) complaints.push(`${pattern}: answered after ${Math.round(ms)} ms`);
    }
  } finally {
    await shelf.stop();
  }
  const figures = {
    patterns: hostilePatterns.length,
    characters,
    refused,
    'slowest ms': Math.ceil(slowest),
  };
  return { figures, complaints };
};
