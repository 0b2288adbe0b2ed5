/** The writing thread's time for a transaction of a thousand creations, beside a bulk of them: all other writes wait for so long. */
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { type Claim, median } from '../measure/claim.ts';
import type { Server } from '../servers/launch.ts';
import { threadTimes } from '../threads/thread-times.ts';

const size = 1000;
/** Requests between two readings of the clock, whose ticks are as long as several of them. */
const together = 40;
const turns = 6;
const most = 1.2;

const records: Readonly<Record<string, object>> = {
  accounts: { balance: 1 },
  moves: { source: 1, target: 2, amount: 1 },
};

export async function thousandCreations(start: (port: number) => Promise<Server>): Promise<Claim> {
  const server = await start(freePort());
  try {
    const found: string[] = [];
    let highest = 0;
    for (const [collection, record] of Object.entries(records)) {
      const operations = Array.from({ length: size }, () => ({ op: 'create', collection, record }));
      const transaction = { path: 'transactions', body: JSON.stringify({ operations }) };
      const bulk = { path: `${collection}/bulk`, body: `${JSON.stringify(record)}\n`.repeat(size) };
      const ratios: number[] = [];
      for (let turn = 0; turn <= turns; turn++) {
        const ratio = (await writingTime(server, transaction)) / (await writingTime(server, bulk));
        // In the first turn the code is not compiled yet.
        if (turn > 0) ratios.push(ratio);
      }
      highest = Math.max(highest, median(ratios));
      found.push(`${collection} ${median(ratios).toFixed(2)}x`);
    }
    return {
      title: `a transaction of ${size} creations: the writing thread's time beside a bulk of them`,
      value: `${found.join(', ')}, 0 errors`,
      must: `<= ${most}x`,
      holds: highest <= most,
    };
  } finally {
    await server.stop();
  }
}

async function writingTime(server: Server, { path, body }: { readonly path: string; readonly body: string }) {
  const before = writerTime(server);
  for (let n = 0; n < together; n++) {
    const answer = await fetch(`${server.base}/api/v2/${path}`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
  return writerTime(server) - before;
}

function writerTime({ pid }: Server): number {
  const writer = [...threadTimes(pid, 'first').values()].find(({ name }) => name === 'shelf writer');
  if (writer === undefined) throw new Error('the server has no writing thread');
  return writer.user + writer.system;
}
