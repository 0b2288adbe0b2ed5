/**
 * Three PostgreSQL servers under Patroni with etcd, two instances of Shelf, clients that use every API, and one fault after the
 * other; all answers are checked as one history. The short form has a primary and a standby without Patroni.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { toolPath } from '../scripts/tools/system-tool.ts';
import { postgresBinaries } from '../test/postgres/binaries.ts';
import { type Order, resultFile } from './cluster/inside.ts';
import { pairSetup } from './cluster/pair.ts';
import { clusterPrograms } from './cluster/programs.ts';
import { runHistory } from './history/run.ts';
import type { Judged, Run, Torture, TortureResult } from './support/torture.ts';

const rounds = 20;
/** PID 1 of the namespace also collects processes whose parents have ended, which a shell does. */
const init = ['sh', '-c', '"$@"; exit $?', 'sh'];

const newSeed = () => Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));

export const cluster: Torture = (run) => (run.full ? whole(run) : short(run));

async function short({ say }: Run): Promise<TortureResult> {
  const binaries = postgresBinaries();
  if ('reason' in binaries) return { skipped: binaries.reason };
  const setup = await pairSetup();
  try {
    const { figures, complaints } = await runHistory(setup, { engine: 'pair', seed: newSeed(), say });
    const { operations = 0, changes = 0, faults = 0 } = figures;
    return { figures: { operations, changes, faults }, complaints };
  } finally {
    await setup.close();
  }
}

/** Everything that is started ends with the namespace of its processes. */
async function whole({ folder, say }: Run): Promise<TortureResult> {
  const programs = await clusterPrograms();
  if ('reason' in programs) return { skipped: programs.reason };
  chmodSync(folder, 0o755);
  const order: Order = { folder, seed: newSeed(), rounds, programs };
  say(`SEED=${order.seed}`);
  const inside = [process.execPath, join(import.meta.dir, 'cluster/inside.ts'), JSON.stringify(order)];
  const unshare = [toolPath('unshare'), '--net', '--pid', '--mount-proc', '--fork', '--kill-child', ...init];
  const child = Bun.spawn([...unshare, ...inside], { stdout: 'pipe', stderr: 'inherit' });
  const stop = () => child.kill('SIGKILL');
  process.on('exit', stop);
  let text = '';
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) say(line);
  }
  const code = await child.exited;
  process.off('exit', stop);
  if (code !== 0) return { figures: {}, complaints: [`the run ended with ${code}`] };
  return (await Bun.file(join(folder, resultFile)).json()) as Judged;
}
