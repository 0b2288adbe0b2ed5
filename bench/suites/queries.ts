/**
 * npm run bench -- --queries: a million records, all on one core: a summary beside the same SQL in the sqlite3 shell, `any` of two indexed fields beside each of
 * them alone and beside a scan, and single records while 16 summaries run.
 */
import { toolPath } from '../../scripts/tools/system-tool.ts';
import { type Claim, median } from '../measure/claim.ts';
import { atRest, load } from '../measure/load.ts';
import { type Server, serverCore } from '../servers/launch.ts';
import { perValue, type SalesFile, salesFile, startOnSales, states } from '../servers/sales.ts';

export type QueriesPlan = {
  readonly folder: string;
  readonly records: number;
  readonly rounds: number;
  /** Of each load. */
  readonly seconds: number;
  say(text: string): void;
};

/** One part of the benchmark, on a server with these sales. */
export type Part = (server: Server, file: SalesFile, plan: QueriesPlan) => Promise<readonly Claim[]>;

const mostOfShell = 2;
const mostOfIndexes = 3;
const mostOfP99 = 3;
const summariesAtOnce = 16;

const summary = '/api/v2/sales/summary?group=state&measures=count,amount.sum';

export async function queriesBench(plan: QueriesPlan): Promise<Claim[]> {
  plan.say(`storing ${plan.records.toLocaleString('en')} sales`);
  const file = salesFile(plan.folder, plan.records);
  const parts: readonly Part[] = [besideShell, eitherOfTwo, besideSummaries];
  const server = await startOnSales(file);
  try {
    // The runtime compiles the hot code first, and all records are read into memory.
    await asked(server.base + summary);
    await atRest(server);
    const claims: Claim[] = [];
    for (const part of parts) claims.push(...(await part(server, file, plan)));
    return claims;
  } finally {
    await server.stop();
  }
}

const besideShell: Part = async ({ base }, { path, count }, { rounds, say }) => {
  const sql = 'select state, count(*), sum(amount) from sales group by state order by state';
  const shell = [toolPath('taskset'), '-c', serverCore, toolPath('sqlite3'), '-readonly', '-tabs', path, sql];
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 1; round <= rounds; round++) {
    say(`a summary, round ${round}/${rounds}`);
    const { ms, body } = await asked(base + summary);
    times.ours.push(ms);
    const began = performance.now();
    const printed = Bun.spawnSync(shell).stdout.toString();
    times.theirs.push(performance.now() - began);
    same(body, printed);
  }
  const [ours, theirs] = [median(times.ours), median(times.theirs)];
  return [
    {
      title: `a summary of ${count.toLocaleString('en')} records by a choice, with a count and a decimal sum`,
      value: `${(ours / theirs).toFixed(2)}x the time of the sqlite3 shell (${ours.toFixed(0)} and ${theirs.toFixed(0)} ms)`,
      must: `<= ${mostOfShell}x`,
      holds: ours <= mostOfShell * theirs,
    },
  ];
};

/** Throws if they are not the same groups: a run that compares other work is not valid. */
function same(body: string, printed: string): void {
  const { data } = JSON.parse(body) as { data: { state: string; count: number; 'amount.sum': string }[] };
  const rows = data.map((row) => [row.state, row.count, row['amount.sum'].replace('.', '')].join('\t'));
  if (data.length !== states.length || rows.join('\n') !== printed.trim())
    throw new Error(`the summary is ${body}, and the sqlite3 shell prints ${printed}`);
}

const eitherOfTwo: Part = async ({ base }, { count }, { rounds, say }) => {
  const path = (where: object, more = '') =>
    `${base}/api/v2/sales?limit=1000&fields=id${more}&where=${encodeURIComponent(JSON.stringify(where))}`;
  const paths = {
    either: path({ any: [{ shop: 7 }, { buyer: 11 }] }),
    shop: path({ shop: 7 }),
    buyer: path({ buyer: 11 }),
    scan: path({ any: [{ shop_again: 7 }, { buyer_again: 11 }] }),
  };
  const times: Record<keyof typeof paths, number[]> = { either: [], shop: [], buyer: [], scan: [] };
  const found = new Map<string, string>();
  for (let round = 1; round <= rounds; round++) {
    say(`any of two fields, round ${round}/${rounds}`);
    for (const name of Object.keys(paths) as (keyof typeof paths)[]) {
      const { ms, body } = await asked(paths[name]);
      times[name].push(ms);
      found.set(name, body);
    }
  }
  const { data } = JSON.parse(found.get('either') ?? '') as { data: readonly unknown[] };
  if (found.get('either') !== found.get('scan') || data.length < perValue)
    throw new Error(`any of two indexed fields finds ${data.length} records, and a scan others`);
  const explained = await asked(path({ any: [{ shop: 7 }, { buyer: 11 }] }, '&explain=true'));
  const { indexes } = JSON.parse(explained.body) as { indexes: readonly (readonly string[])[] };
  const [either, shop, buyer, scan] = [times.either, times.shop, times.buyer, times.scan].map(median);
  const ratio = (either ?? Number.NaN) / ((shop ?? Number.NaN) + (buyer ?? Number.NaN));
  return [
    {
      title: 'any of two indexed fields',
      value: `uses ${indexes.length === 0 ? 'no index' : indexes.map((fields) => fields.join()).join(' and ')}`,
      must: 'uses shop and buyer',
      holds: indexes.flat().toSorted().join() === 'buyer,shop',
    },
    {
      title: `its time among ${count.toLocaleString('en')} (${either?.toFixed(1)} ms; a scan ${scan?.toFixed(1)} ms)`,
      value: `${ratio.toFixed(2)}x that of both alone`,
      must: `<= ${mostOfIndexes}x`,
      holds: ratio <= mostOfIndexes,
    },
  ];
};

const besideSummaries: Part = async (server, { count }, { folder, rounds, seconds, say }) => {
  const one = {
    name: 'one-sale',
    path: '/api/v2/sales/1',
    lua: `math.randomseed(os.time())
request = function() return wrk.format("GET", "/api/v2/sales/" .. math.random(${count})) end`,
  };
  const ratios: number[] = [];
  let done = 0;
  let errors = 0;
  for (let round = 1; round <= rounds; round++) {
    say(`GET one beside ${summariesAtOnce} summaries, round ${round}/${rounds}`);
    const quiet = await load(server, one, seconds, folder);
    let isOver = false;
    const summaries = Array.from({ length: summariesAtOnce }, async () => {
      while (!isOver) {
        await asked(server.base + summary);
        done++;
      }
    });
    const busy = await load(server, one, seconds, folder);
    isOver = true;
    await Promise.all(summaries);
    errors += quiet.errors + busy.errors;
    ratios.push(busy.p99 / quiet.p99);
  }
  const ratio = median(ratios);
  return [
    {
      title: `the p99 of GET one beside ${summariesAtOnce} summaries (${done} were answered, ${errors} errors)`,
      value: `${ratio.toFixed(2)}x its quiet p99`,
      must: `<= ${mostOfP99}x`,
      holds: ratio <= mostOfP99 && errors === 0,
    },
  ];
};

/** Throws if it is refused. */
async function asked(url: string): Promise<{ readonly ms: number; readonly body: string }> {
  const began = performance.now();
  const response = await fetch(url);
  const body = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body}`);
  return { ms: performance.now() - began, body };
}
