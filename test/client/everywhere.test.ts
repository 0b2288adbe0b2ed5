/** The client, bundled, on Node, on Bun, on Deno and in Chromium, with one result everywhere; and its size. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { denoBinary } from '../deno/binary.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { library } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { type Fault, type FaultyProxy, faultyProxy } from './faulty-proxy.ts';

/** One ESM file. */
async function bundle(entry: string, minify: boolean): Promise<string> {
  const built = await Bun.build({ entrypoints: [join(root, entry)], target: 'browser', format: 'esm', minify });
  const [file] = built.outputs;
  if (file === undefined) throw new Error(`${entry} cannot be bundled`);
  return file.text();
}

const expected = {
  first: 'resync',
  book: {
    title: 'Ficciones “é📚” 9007199254740993',
    isbn: '9780802130303',
    price: '12.30',
    author: 1,
    pages: '9007199254740993n',
    weight: '-0',
    tags: ['1e5'],
    ratings: ['-9223372036854775808n', '9223372036854775807n'],
    meta: { exact: '12345678901234567890n', places: 'digits 0.12345678901234567890', double: 1e308, small: 1e-7 },
  },
  change: '9007199254740993n',
  live: [0, ['9007199254740993n'], [0.1]],
  changed: [0.1, '7.00', 2],
  created: 6,
  exact: [0.1, 1e-7, '-0', 1e308, 5e-324, 0.30000000000000004],
  page: [[['9007199254740993n', 'Borges']], 1],
  count: 6,
  summary: [['number', 'draft', 1, '9007199254740993n', '9007199254740993.0000000', '7.00', 0.1]],
  made: ['9007199254740994n', ['-9223372036854775808n', '9223372036854775807n'], 0],
  failures: [
    'precondition_failed 412',
    'already_exists 409',
    'aborted 0',
    'connection_lost 0',
    'not_found 404',
    'check_failed 409',
  ],
};

const unavailable = '{"type":"/problems/storage-unavailable","title":"","status":503,"detail":"","instance":""}';
/** The list, the create twice, the update twice, the second update, the delete, the count. */
const faults: readonly Fault[] = [
  'pass',
  'lose the answer',
  'pass',
  { status: 503, body: unavailable, headers: { 'Content-Type': 'application/problem+json' } },
  'pass',
  { status: 502 },
  'lose the answer',
];
const expectedWithFaults = { count: 0, version: 2, lost: 'outcome_unknown 502', deleted: 'outcome_unknown 0' };

const folder = temporaryFolder();
let script: string;
beforeAll(async () => {
  script = await bundle('test/client/everywhere.ts', false);
  writeFileSync(join(folder, 'everywhere.mjs'), script);
  const run = `import * as tests from './everywhere.mjs';
const [, , name, ...args] = process.argv;
process.stdout.write(JSON.stringify(await tests[name](...args)));
`;
  writeFileSync(join(folder, 'run.mjs'), run);
});

type Context = { readonly url: string; readonly key: string; readonly proxy: FaultyProxy };

/** A new server and a new proxy. */
async function withServer(use: (context: Context) => Promise<void>): Promise<void> {
  const server: TestServer = await startServer({
    collections: library,
    access: { auth: 'all', cors: { value: ['*'] } },
  });
  const open = await startServer({ collections: library });
  const order = {
    kind: 'create',
    name: 'everywhere',
    scope: 'write',
    collections: undefined,
    lastsMs: undefined,
  } as const;
  const key = (await runKeys(server.store.admin.apiKeys, order, new Date(), library)).output.trim();
  const proxy = await faultyProxy(open.url);
  try {
    await use({ url: server.url, key, proxy });
  } finally {
    await proxy.stop();
    await open.stop();
    await server.stop();
  }
}

const deno = denoBinary();
if ('reason' in deno) {
  if (process.env.CI) throw new Error(`Deno cannot be had: ${deno.reason}; in CI no test may be skipped`);
  process.stderr.write(`\n!!! SKIPPED: the client on Deno, because ${deno.reason}\n`);
}
const runtimes: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['Node', ['node']],
  ['Bun', [process.execPath]],
  ...('path' in deno ? [['Deno', [deno.path, 'run', '--quiet', '--allow-net']] as const] : []),
];

describe.each(runtimes)('on %s', (_, command) => {
  async function run(name: string, ...args: readonly string[]): Promise<unknown> {
    const { stdout, stderr } = await runCommand([...command, join(folder, 'run.mjs'), name, ...args]);
    if (stderr !== '') throw new Error(stderr);
    return JSON.parse(stdout);
  }

  test('every method works, with every digit', () =>
    withServer(async ({ url, key }) => {
      expect(await run('everything', url, key)).toEqual(expected);
    }));

  test('a lost answer is sent again only where it is safe', () =>
    withServer(async ({ proxy }) => {
      proxy.next(...faults);
      expect(await run('withFaults', proxy.url)).toEqual(expectedWithFaults);
      expect(proxy.seen.map(({ method }) => method)).toEqual([
        'GET',
        'POST',
        'POST',
        'PATCH',
        'PATCH',
        'PATCH',
        'DELETE',
        'GET',
      ]);
    }));
});

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  async function run(at: string, name: string, ...args: readonly string[]): Promise<unknown> {
    const page = await (await browser.newContext({ bypassCSP: true })).newPage();
    await page.goto(at);
    const bundled = { contentType: 'text/javascript', body: script };
    await page.route('**/everywhere.mjs', (route) => route.fulfill(bundled));
    const code = `import('/everywhere.mjs').then((tests) => tests[${JSON.stringify(name)}](...${JSON.stringify(args)}))`;
    return page.evaluate(code).finally(() => page.close());
  }

  test('every method works from a page of another origin, with every digit', () =>
    withServer(async ({ url, key }) => {
      const html = { headers: { 'Content-Type': 'text/html' } };
      const elsewhere = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: () => new Response('<title>x</title>', html),
      });
      expect(await run(elsewhere.url.href, 'everything', url, key)).toEqual(expected);
      await elsewhere.stop(true);
    }));

  test('a lost answer is sent again only where it is safe', () =>
    withServer(async ({ proxy }) => {
      proxy.next(...faults);
      expect(await run(`${proxy.url}/healthz`, 'withFaults', proxy.url)).toEqual({
        ...expectedWithFaults,
        // Chromium itself sends a request again if a connection that it had kept is lost, and no page can prevent it.
        deleted: expect.stringMatching(/^(outcome_unknown 0|not_found 404)$/),
      });
    }));

  test('the empty URL is the origin of the page, whatever its path', () =>
    withServer(async ({ proxy }) => {
      for (const path of ['/', '/console', '/console/items/1?sort=name', '/docs/'])
        expect(await run(proxy.url + path, 'countUsers', '')).toBe(1);
    }));
});

test('bundled, minified and compressed, the client has less than 12 KB', async () => {
  const minified = await bundle('src/client/index.ts', true);
  expect(Bun.gzipSync(Buffer.from(minified), { level: 9 }).length).toBeLessThan(12_000);
});
