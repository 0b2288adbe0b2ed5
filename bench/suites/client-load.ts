/**
 * Runs on Node and on Bun, bundled: the same requests by fetch and by the client, one after the other, so that both have the
 * machine in the same state. Prints the median of each, in microseconds.
 */
import { createClient } from '../../src/client/index.ts';
import { median } from '../measure/claim.ts';
import { book } from '../servers/books.ts';

/** `warmUps` pairs come first: the runtime compiles the hot code in the first thousands of calls. */
const [url = '', pairs = '1', warmUps = '0'] = process.argv.slice(2);

type Work = { readonly name: string; plain(): Promise<unknown>; client(): Promise<unknown> };

const { books } = createClient({ url });
if (books === undefined) throw new Error('a collection is always there');
const path = `${url}/api/v2/books`;
/** No two books have the same number; those before are in the database. */
let last = 1_000_000 + Number(process.hrtime.bigint() % 1_000_000_000n);
const randomKey = () => crypto.randomUUID();

const works: readonly Work[] = [
  {
    name: 'GET one',
    plain: async () => (await fetch(`${path}/1`)).json(),
    client: () => books.get(1),
  },
  {
    name: 'list of 100',
    plain: async () => (await fetch(`${path}?limit=100`)).json(),
    client: () => books.list({ limit: 100 }),
  },
  {
    name: 'create',
    // The same request: without the key, the server would do less.
    plain: async () => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomKey() };
      return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(book(last++)) })).json();
    },
    client: () => books.create(book(last++)),
  },
];

async function timed(call: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await call();
  return (performance.now() - began) * 1000;
}

const results = [];
for (const { name, plain, client } of works) {
  const samples = { plain: [] as number[], client: [] as number[] };
  for (let pair = -Number(warmUps); pair < Number(pairs); pair++) {
    const inTurn = [['plain', plain] as const, ['client', client] as const];
    for (const [kind, call] of pair % 2 === 0 ? inTurn : inTurn.reverse()) {
      const us = await timed(call);
      if (pair >= 0) samples[kind].push(us);
    }
  }
  results.push({ name, plain: median(samples.plain), client: median(samples.client) });
}
process.stdout.write(JSON.stringify(results));
process.exit(0);
