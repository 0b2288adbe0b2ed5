/** kill -9 at random moments under load: every acknowledged write must be stored once, whole and in order. */
import { join } from 'node:path';
import { startShelf } from '../test/support/servers/process.ts';
import { sqliteArgs, type Torture } from './support/torture.ts';
import { integrity, Writers } from './support/writers.ts';

export const kill: Torture = async (run) => {
  const { folder, full, say, threads } = run;
  const kills = full ? 100 : 3;
  const perRound = full ? 5000 : 300;
  const path = join(folder, 'kill.db');
  const args = [...sqliteArgs(path, run), '--log', 'off'];
  const writers = new Writers(32);
  const complaints: string[] = [];
  /** The system distributes 32 connections at random: in one of many rounds, a thread of four may get none. */
  let haveAllAnswered = false;

  for (let round = 1; round <= kills; round++) {
    const shelf = await startShelf({ args });
    const target = writers.acknowledged.size + perRound;
    // A random number of writes after the target, so that the kill hits a commit, the time between two, or an answer.
    const moment = target + Math.floor(Math.random() * perRound * 0.2);
    let killed = false;
    await writers.write(shelf.url, (acknowledged) => {
      if (acknowledged >= moment && !killed) {
        killed = true;
        process.kill(shelf.pid, 'SIGKILL');
      }
      return killed;
    });
    await shelf.exited;
    haveAllAnswered ||= writers.threads.count >= threads;
    const verdict = integrity(path);
    if (verdict !== 'ok') complaints.push(`round ${round}: integrity check: ${verdict}`);
    say(`round ${round}/${kills}: ${writers.acknowledged.size} acknowledged`);
    if (full && round % 10 !== 0 && round !== kills) continue;
    const again = await startShelf({ args });
    complaints.push(...(await writers.verify(again.url)).map((complaint) => `round ${round}: ${complaint}`));
    await again.stop();
  }
  if (!haveAllAnswered) complaints.push(`in no round have all ${threads} serving threads answered`);
  return { figures: { kills, acknowledged: writers.acknowledged.size, 'integrity checks': kills }, complaints };
};
