/** Many readers and one writer: each read is of one version, whatever the writer does meanwhile. */
import { expect, test } from 'bun:test';
import { type Report, type Start, textOf } from './concurrent-reader.ts';
import { Level } from './level.ts';
import { Memory } from './memory.ts';
import { state } from './root.ts';

const readers = 3;
const reads = 700_000;
const mostRecords = 300;

test('a reader sees all of a commit or nothing, and never goes back', async () => {
  const memory = new Memory(1);
  const [table] = memory.tables;
  if (table === undefined) throw new Error('no table');
  const alive: { id: number; seq: number }[] = [];
  const used = new Set<number>([1]);
  let seq = 1;
  const meta = (version: number) => ({ seq, version, created: version, updated: version });
  const json = (id: number, commit: number) => JSON.stringify({ id, commit, text: textOf(id, commit) });
  const head = (commit: number, changed: number[]) => JSON.stringify({ id: 1, commit, changed, count: alive.length });
  table.append(meta(0), 1n, head(0, []));
  table.state = state.ready;
  memory.publish();
  const level = new Level();
  level.run = memory.run;

  const threads = Array.from({ length: readers }, () => {
    const thread = new Worker(new URL('./concurrent-reader.ts', import.meta.url).href);
    const report = new Promise<Report>((resolve, reject) => {
      thread.onmessage = ({ data }) => resolve(data);
      thread.onerror = ({ message }) => reject(new Error(message));
    });
    const start = { memory: memory.shared(), level: level.shared, reads } satisfies Start;
    thread.postMessage(start, [start.memory.port]);
    return { thread, report };
  });

  let isRead = false;
  const reported = Promise.all(threads.map(({ report }) => report)).finally(() => {
    isRead = true;
  });
  for (let commit = 1; !isRead; commit++) {
    const changed = new Set<number>();
    for (let step = Math.floor(Math.random() * 6); step >= 0; step--) {
      const one = alive[Math.floor(Math.random() * alive.length)];
      const dice = Math.random();
      const id = 2 + Math.floor(Math.random() * (mostRecords - 2));
      if (dice < 0.3 && !used.has(id)) {
        seq++;
        table.append(meta(commit), BigInt(id), json(id, commit));
        alive.push({ id, seq });
        used.add(id);
        changed.add(id);
      } else if (dice < 0.5 && one !== undefined) {
        table.remove(one.seq, BigInt(one.id), 0);
        alive.splice(alive.indexOf(one), 1);
        used.delete(one.id);
        changed.delete(one.id);
      } else if (dice < 0.6 && one !== undefined && !used.has(id)) {
        table.replace(one.seq, commit, commit, json(id, commit));
        table.rename(one.seq, BigInt(one.id), BigInt(id), 0);
        used.delete(one.id);
        used.add(id);
        changed.delete(one.id);
        changed.add(id);
        one.id = id;
      } else if (one !== undefined) {
        table.replace(one.seq, commit, commit, json(one.id, commit));
        changed.add(one.id);
      }
    }
    if (commit % 1000 === 0) {
      // As after a bulk: all records are dropped and read again, in one commit.
      table.clear();
      alive.sort((a, b) => a.seq - b.seq);
      seq = 1;
      table.append(meta(0), 1n, '{}');
      for (const one of alive) {
        one.seq = ++seq;
        table.append(meta(commit), BigInt(one.id), json(one.id, commit));
      }
      for (const { id } of alive) changed.add(id);
    }
    table.replace(1, commit, commit, head(commit, [...changed]));
    memory.publish();
    if (commit % 100 === 0) await new Promise(setImmediate);
  }
  const reports = await reported;
  for (const { thread } of threads) thread.terminate();
  expect(reports.flatMap(({ mistakes }) => mistakes)).toEqual([]);
  // They have read while the writer wrote.
  for (const { commits } of reports) expect(commits).toBeGreaterThan(20);
});
