/** The cost of v2 compared with the contract, and of a page far into a million records. */

import { type Claim, median } from '../measure/claim.ts';
import { load } from '../measure/load.ts';
import { startShelfOn } from '../servers/shelf.ts';

const pages = 10_000;
const perPage = 100;

const post = (path: string) => ({
  name: `post-${path.replaceAll('/', '-')}`,
  path,
  lua: `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local n = 0
request = function() n = n + 1; return wrk.format(nil, "${path}", nil, string.format('{${
    path.includes('v2') ? '' : '"id":%d,'
  }"name":"Item number %d","price":%d.5}', n, n${path.includes('v2') ? '' : ', n'})) end`,
});

/** `path` is a file with a million records; more are added to it. */
export async function productionCosts(
  folder: string,
  path: string,
  seconds: number,
  say: (text: string) => void,
): Promise<Claim[]> {
  const shelf = await startShelfOn(path, 8204);
  say('reading ten thousand pages');
  type Page = { next_cursor: string | null };
  const page = async (cursor: string | null) => {
    const search = `limit=${perPage}${cursor === null ? '' : `&cursor=${cursor}`}`;
    return (await (await fetch(`${shelf.base}/api/v2/items?${search}`)).json()) as Page;
  };
  let cursor: string | null = null;
  for (let n = 1; n < pages; n++) cursor = (await page(cursor)).next_cursor;
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < 400; n++) {
    const start = performance.now();
    await page(n % 2 === 0 ? null : cursor);
    times[n % 2 === 0 ? 0 : 1].push(performance.now() - start);
  }
  const ratio = median(times[1]) / median(times[0]);

  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    for (const [index, target] of ['/api/items', '/api/v2/items'].entries()) {
      say(`POST ${target}, round ${round + 1}`);
      rates[index === 0 ? 0 : 1].push((await load(shelf, post(target), seconds, folder)).perSecond);
    }
  }
  await shelf.stop();
  const share = median(rates[1]) / median(rates[0]);
  return [
    {
      title: `page 10,000 of ${(pages * perPage).toLocaleString('en')} records beside page 1`,
      value: `${ratio.toFixed(2)}x the time`,
      must: '<= 1.25x',
      holds: ratio <= 1.25,
    },
    {
      title: 'POST /api/v2/items beside POST /api/items',
      value: `${share.toFixed(2)}x`,
      must: '>= 0.8x',
      holds: share >= 0.8,
    },
  ];
}
