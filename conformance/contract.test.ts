/** Runs the suite against our own server, and checks that it can fail. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { runCommand } from '../test/support/servers/command.ts';
import { quickEngines } from '../test/support/servers/engines.ts';
import { root } from '../test/support/servers/process.ts';
import { startServer, type TestServer } from '../test/support/servers/server.ts';
import { Client } from './client.ts';
import { contract } from './contract.ts';

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl() });
    client = new Client(server.url);
  });
  afterAll(() => server.stop());

  for (const [section, rows] of Map.groupBy(contract, (row) => row.section)) {
    describe(section, () => {
      for (const { sentence, check } of rows) test(sentence, () => check(client));
    });
  }
});

describe('the command', () => {
  const run = (url: string) => runCommand([process.execPath, join(root, 'conformance/main.ts'), url]);

  test('passes in full against a fresh server', async () => {
    const fresh = await startServer();
    const { stdout, code } = await run(`${fresh.url}/`);
    expect(stdout).toEndWith(`\n${contract.length} passed, 0 failed, 0 skipped\n`);
    expect(code).toBe(0);
    await fresh.stop();
  });

  test('fails against a server that answers everything with an empty list', async () => {
    const wrong = Bun.serve({ port: 0, fetch: () => Response.json([]) });
    const { stdout, code } = await run(`http://127.0.0.1:${wrong.port}`);
    expect(stdout).toMatch(/\n\d passed, \d\d failed, \d skipped\n$/);
    expect(code).toBe(1);
    await wrong.stop(true);
  });

  test('reports a server that does not answer, and an invalid address', async () => {
    expect(await run('http://127.0.0.1:1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no server answers at'),
    });
    expect(await run('')).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage:') });
  });
});
