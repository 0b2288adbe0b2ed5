/** A disk whose sync is slow, and one whose sync fails: strace delays or fails the system calls. */
import { join } from 'node:path';
import { systemTool, toolPath } from '../../scripts/tools/system-tool.ts';
import { command, startShelf } from '../../test/support/servers/process.ts';
import { sqliteArgs, type Torture } from '../support/torture.ts';
import { Writers } from '../support/writers.ts';

const syncs = 'fsync,fdatasync';

function underStrace(inject: string): string[] {
  return [
    toolPath('strace'),
    // The server stays the direct child, so that a signal reaches it.
    '-D',
    '-f',
    '--seccomp-bpf',
    '-q',
    '-o',
    '/dev/null',
    '-e',
    `trace=${syncs}`,
    '-e',
    `inject=${syncs}:${inject}`,
    ...command,
  ];
}

const unavailable = () => (systemTool('strace') === undefined ? 'strace is not installed' : undefined);

/** Each sync takes 200 ms; a read must not wait for one. */
export const slowSync: Torture = async (run) => {
  const { folder, say, threads } = run;
  const skipped = unavailable();
  if (skipped !== undefined) return { skipped };
  const syncMs = 200;
  const shelf = await startShelf({
    command: underStrace(`delay_enter=${syncMs * 1000}`),
    args: [...sqliteArgs(join(folder, 'slow.db'), run), '--log', 'off'],
  });
  const writers = new Writers(16);
  const commits: number[] = [];
  const reads: number[] = [];
  let writing = true;
  const reader = (async () => {
    while (writing) {
      const start = performance.now();
      await (await fetch(`${shelf.url}/api/items/1`)).arrayBuffer();
      reads.push(performance.now() - start);
      // A reader without a pause would take a core from the server.
      await Bun.sleep(1);
    }
  })();
  let before = performance.now();
  await writers.write(shelf.url, (acknowledged) => {
    const now = performance.now();
    if (now - before > syncMs / 2) commits.push(now - before);
    before = now;
    return acknowledged >= 160;
  });
  writing = false;
  await reader;
  await shelf.stop();
  reads.sort((a, b) => a - b);
  const p99 = reads[Math.floor(reads.length * 0.99)] ?? Number.NaN;
  say(`${reads.length} reads during ${commits.length} slow commits, 99% within ${p99.toFixed(2)} ms`);
  // A server that blocks while it syncs answers about one read per commit.
  const complaints = writers.threads.complaints(threads);
  if (reads.length <= 10 * commits.length)
    complaints.push(`only ${reads.length} reads during ${commits.length} commits`);
  return { figures: { 'sync ms': syncMs, reads: reads.length, 'read p99 ms': Number(p99.toFixed(2)) }, complaints };
};

/** Some syncs in a row fail with EIO: their writes get 503, and all acknowledged writes before and after are kept. */
export const failingSync: Torture = async (run) => {
  const { folder, say, threads } = run;
  const skipped = unavailable();
  if (skipped !== undefined) return { skipped };
  const path = join(folder, 'failing.db');
  const args = [...sqliteArgs(path, run), '--log', 'off'];
  const shelf = await startShelf({ command: underStrace('error=EIO:when=40..60'), args });
  const writers = new Writers(16);
  await writers.write(shelf.url, (acknowledged) => acknowledged >= 2000);
  const refused = writers.refusals.get(503) ?? 0;
  say(`${writers.acknowledged.size} acknowledged, ${refused} refused with 503`);
  const complaints = [...writers.threads.complaints(threads), ...(await writers.verify(shelf.url))];
  if (refused === 0) complaints.push('no sync failed');
  for (const [status] of writers.refusals)
    if (status !== 503) complaints.push(`a write: expected 201 or 503, got ${status}`);
  await shelf.stop();
  const again = await startShelf({ args });
  complaints.push(...(await writers.verify(again.url)));
  await again.stop();
  return { figures: { acknowledged: writers.acknowledged.size, 'refused with 503': refused }, complaints };
};
