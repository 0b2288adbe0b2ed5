/** Attempts to bypass access control: guessed API keys, and forged client addresses. */

import { join } from 'node:path';
import { runShelf, type Shelf, startShelf } from '../../test/support/servers/process.ts';
import { type Run, sqliteArgs, type Threads } from '../support/torture.ts';

/** The time until a wrong key is refused, in milliseconds. */
async function refused(url: string, key: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${url}/api/items/1`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  if (answer.status !== 401) throw new Error(`a guessed key: expected 401, got ${answer.status}`);
  return performance.now() - begun;
}

function median(times: readonly number[]): number {
  return times.toSorted((left, right) => left - right)[times.length >> 1] ?? 0;
}

/** The time to refuse a guess must not depend on how much of the key is right. */
export async function guessing(run: Run) {
  const { folder, full } = run;
  const path = join(folder, 'guessed.db');
  const database = `sqlite:${path}`;
  await runShelf({ args: ['migrate', '--database', database] });
  const made = await runShelf({
    args: ['keys', 'create', '--name', 'real', '--scope', 'read', '--database', database],
  });
  const key = made.stdout.trimEnd();
  const shelf = await startShelf({ args: [...sqliteArgs(path, run), '--auth', 'all', '--log', 'off'] });
  try {
    // Every guess is new, because a request that repeats the previous one is parsed faster.
    const random = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    const guesses = { far: () => `shelf_${random()}`, near: () => key.slice(0, -3) + random().slice(0, 3) };
    const times = { far: [] as number[], near: [] as number[] };
    for (let n = 0; n < 100; n++) await refused(shelf.url, guesses.far());
    // Alternating, so that other load on the machine affects both equally.
    for (let n = 0; n < (full ? 2000 : 200); n++) {
      const [one, other] = n % 2 === 0 ? (['far', 'near'] as const) : (['near', 'far'] as const);
      times[one].push(await refused(shelf.url, guesses[one]()));
      times[other].push(await refused(shelf.url, guesses[other]()));
    }
    const [farMs, nearMs] = [median(times.far), median(times.near)];
    const difference = Math.abs(farMs - nearMs);
    const complaints = [];
    if ((await fetch(`${shelf.url}/api/items/1`, { headers: { 'X-API-Key': key } })).status !== 200) {
      complaints.push('the real key is refused');
    }
    // Timing depends on the machine, so only the full run checks it.
    if (full && difference > 0.1 * farMs) {
      complaints.push(`a near guess takes ${nearMs.toFixed(3)} ms, a far one ${farMs.toFixed(3)} ms`);
    }
    return { complaints, farMicros: farMs * 1000, nearMicros: nearMs * 1000 };
  } finally {
    await shelf.stop();
  }
}

/** A client that forges its address, key and agent must not exceed the rate limit of one client. */
export async function spoofing({ threads }: Threads): Promise<string[]> {
  const limits = ['--rate-limit', '50/h', '--trusted-proxy', '10.0.0.0/8'];
  const args = ['--database', 'memory:', '--threads', String(threads), ...limits, '--log', 'off'];
  const shelf: Shelf = await startShelf({ args });
  try {
    let passed = 0;
    for (let n = 0; n < 300; n++) {
      const forged = `${n % 250}.${n % 200}.3.4`;
      const headers = {
        'X-Forwarded-For': `${forged}, 10.0.0.1`,
        Forwarded: `for=${forged}`,
        'X-Real-IP': forged,
        'CF-Connecting-IP': forged,
        'X-Client-IP': forged,
        'X-API-Key': `guess-${n}`,
        'User-Agent': `agent ${n}`,
      };
      const path = ['/api/items', '/nowhere', '/api/v2/items', `/api/items/${n}`][n % 4];
      const { status } = await fetch(shelf.url + path, { headers, method: n % 5 === 0 ? 'HEAD' : 'GET' });
      if (status !== 429) passed++;
    }
    return passed === 50 ? [] : [`expected 50 of 300 requests within the rate limit, got ${passed}`];
  } finally {
    await shelf.stop();
  }
}
