/** Long lists are read while records are written: each list has the length that it says, and is exactly the state of one moment. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { seed } from '../test/support/data/seed.ts';
import { startShelf } from '../test/support/servers/process.ts';
import { AppendedList } from './lists/appended-list.ts';
import { ChangedList } from './lists/changed-list.ts';
import { ListReaders } from './lists/list-readers.ts';
import { Moments } from './lists/moments.ts';
import { type PlanName, plans, seededCount, seededRecords } from './lists/plans.ts';
import { SentWrites } from './lists/sent-writes.ts';
import { runWriters } from './lists/writers.ts';
import { type Run, sqliteArgs, type Torture } from './support/torture.ts';

/** Of all phases together, whichever comes first. */
const most = { answers: 1_000_000, ms: 600_000 };
/** Of one phase, whichever comes first. The lists grow: with more writes there would be fewer of them. */
const mostWrites = 20_000;
const mostLists: Readonly<Record<PlanName, { readonly full: number; readonly short: number }>> = {
  appends: { full: Number.POSITIVE_INFINITY, short: 100 },
  changes: { full: Number.POSITIVE_INFINITY, short: 30 },
};
const names: readonly PlanName[] = ['appends', 'changes'];

/** One server, its readers and its writers. `left` are the answers and milliseconds that are left. */
async function runPhase(plan: PlanName, path: string, run: Run, left: typeof most) {
  const until = performance.now() + left.ms;
  const shelf = await startShelf({ args: [...sqliteArgs(path, run), '--log', 'off'] });
  const port = Number(new URL(shelf.url).port);
  // The list has an ETag once it is in memory.
  while ((await fetch(`${shelf.url}/api/items`, { method: 'HEAD' })).headers.get('ETag') === null) await Bun.sleep(50);

  const moments = Moments.forWrites(mostWrites);
  const Rules = plan === 'appends' ? AppendedList : ChangedList;
  const rules = new Rules(seededRecords, new SentWrites(moments, plans[plan]));
  const answers = () => readers.lists + readers.records + moments.answered;
  const isWhole = () =>
    moments.answered === mostWrites || readers.lists >= mostLists[plan][run.full ? 'full' : 'short'];
  const isCut = () => answers() >= left.answers || performance.now() >= until;
  const readers = new ListReaders(port, rules, moments, () => isWhole() || isCut());
  const writing = runWriters({ port, plan, shared: moments.shared });
  await readers.run();
  moments.stop();
  const complaints = [...readers.complaints, ...(await writing)];
  // In less time, not every thread may have got a connection.
  if (isWhole()) complaints.push(...readers.threads.complaints(run.threads));
  if ((await shelf.stop()) !== 0) complaints.push('the server did not stop cleanly');
  return { answers: answers(), writes: moments.answered, readers, complaints };
}

export const lists: Torture = async (run) => {
  const seeded = join(run.folder, 'seeded.db');
  await seed(seeded, seededCount);
  const figures = { answers: 0, lists: 0, 'MB of lists': 0, writes: 0, 'distinct ETags': 0 };
  const complaints: string[] = [];
  const until = performance.now() + most.ms;
  const left = () => ({ answers: most.answers - figures.answers, ms: until - performance.now() });
  const isOver = () => complaints.length > 0 || left().answers <= 0 || left().ms <= 0;
  for (let round = 1; round === 1 || (run.full && !isOver()); round++) {
    for (const plan of names) {
      if (round > 1 && isOver()) break;
      const path = join(run.folder, `${plan} ${round}.db`);
      copyFileSync(seeded, path);
      const { answers, writes, readers, complaints: found } = await runPhase(plan, path, run, left());
      figures.answers += answers;
      figures.lists += readers.lists;
      figures['MB of lists'] += Math.round(readers.bytes / 1e6);
      figures.writes += writes;
      figures['distinct ETags'] += readers.tags.distinct;
      complaints.push(...found.map((complaint) => `round ${round}, ${plan}: ${complaint}`));
      run.say(`round ${round}, ${plan}: ${readers.lists} lists, ${writes} writes`);
    }
  }
  return { figures, complaints };
};
