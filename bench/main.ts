/** npm run bench [-- --quick]: Shelf and its peers at the same work, interleaved, on one core each with wrk on the other. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptInstall } from '../scripts/apt.ts';
import { load } from './load.ts';
import { million } from './million.ts';
import { type Peer, peers } from './peers.ts';
import { chart, findingsTable, type Result, summarize, table } from './report.ts';
import { works } from './work.ts';

const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 3;
const [warmUp, seconds] = quick ? [1, 1] : [1, 2];
const say = (text: string) => process.stderr.write(`\r\u001b[K${text}`);

if (Bun.which('wrk') === null) {
  const reason = aptInstall('wrk', 'the load');
  if (reason !== undefined) {
    process.stderr.write(`bench: there is no wrk, and ${reason}: install it and try again.\n`);
    process.exit(1);
  }
}
if (availableParallelism() < 2) process.stderr.write('bench: with one core the load disturbs what it measures.\n');

const folder = mkdtempSync(join(tmpdir(), 'shelf-bench-run-'));
const notMeasured: Record<string, string> = {};
const ready: Peer[] = [];
for (const peer of peers) {
  say(`setting up ${peer.name}`);
  const reason = peer.setUp();
  if (reason === undefined) ready.push(peer);
  else notMeasured[peer.name] = reason;
}

const results = new Map<string, { result: Result; samples: Result['samples'][number][] }>();
let port = 8300;
for (let round = 1; round <= rounds; round++) {
  for (const work of works) {
    for (const peer of ready) {
      const script = work.script(peer);
      if (script === undefined) continue;
      say(`round ${round}/${rounds}  ${work.name}  ${peer.name}`);
      const server = await peer.start(port++);
      await load(server, script, warmUp, folder);
      const sample = await load(server, script, seconds, folder);
      await server.stop();
      const key = `${work.name} ${peer.name}`;
      const samples = results.get(key)?.samples ?? [];
      samples.push(sample);
      results.set(key, { result: { work, peer: peer.name, samples }, samples });
    }
  }
}

const findings = quick ? [] : await million(folder, seconds, say);
say('');
rmSync(folder, { recursive: true, force: true });

const summary = summarize([...results.values()].map(({ result }) => result));
process.stdout.write(table(works, summary, notMeasured));
if (findings.length > 0) process.stdout.write(`\nA million items\n${findingsTable(findings)}`);

const out = join(import.meta.dir, 'results');
mkdirSync(out, { recursive: true });
writeFileSync(
  join(out, 'latest.json'),
  `${JSON.stringify({ at: new Date().toISOString(), quick, rounds, seconds, summary, findings, notMeasured }, null, 2)}\n`,
);
writeFileSync(join(out, 'latest.svg'), chart(works, summary));
const errors = summary.reduce((sum, row) => sum + row.errors, 0);
if (errors > 0) process.stdout.write(`\n${errors} requests failed: these figures do not count.\n`);
process.exit(errors > 0 ? 1 : 0);
