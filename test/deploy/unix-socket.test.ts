/** --listen unix:PATH beside a port. */
import { afterEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { existsSync, lstatSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { TlsFolder } from '../support/servers/network/tls.ts';
import { runShelf, type Shelf, startShelf } from '../support/servers/process.ts';

const memory = ['--database', 'memory:'];
const widget = '{"id":1,"name":"Widget","price":9.99}';
const running: Shelf[] = [];
afterEach(async () => {
  for (const shelf of running.splice(0)) await shelf.stop('SIGKILL');
});

async function start(...args: readonly string[]): Promise<Shelf> {
  const shelf = await startShelf({ args });
  running.push(shelf);
  return shelf;
}

const ask = async (path: string, to = 'http://localhost/api/items/1') => (await fetch(to, { unix: path })).text();
const newPath = () => join(temporaryFolder(), 'shelf.sock');

describe('--listen', () => {
  test('the socket and the port serve the same records; the file is for owner and group, and gone after a stop', async () => {
    const path = newPath();
    const shelf = await start(...memory, '--listen', `unix:${path}`);
    expect(shelf.output()).toContain(`"socket":"${path}"`);
    expect(await ask(path)).toBe(widget);
    expect(await (await fetch(`${shelf.url}/api/items/1`)).text()).toBe(widget);
    const { client } = await shelf.line(({ event }) => event === 'request');
    expect(client).toBe('127.0.0.1');
    expect(lstatSync(path).isSocket()).toBe(true);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('660');
    expect(await shelf.stop()).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  test('with TLS, the socket is plain HTTP', async () => {
    const files = new TlsFolder(temporaryFolder());
    const path = newPath();
    const shelf = await start(...memory, ...files.args, '--listen', `unix:${path}`);
    expect(await ask(path)).toBe(widget);
    expect(await (await fetch(`${shelf.url}/api/items/1`, files.trust())).text()).toBe(widget);
    const page = await fetch('http://localhost/', { unix: path, headers: { Accept: 'text/html' } });
    expect(await page.text()).toContain('curl http://localhost/api');
  });

  test('the rules for Host are the same as on the port', async () => {
    const path = newPath();
    await start(...memory, '--listen', `unix:${path}`);
    expect((await fetch('http://evil.example/api/items', { unix: path })).status).toBe(403);
  });

  test('a file that a killed server has left is replaced', async () => {
    const path = newPath();
    const killed = await start(...memory, '--listen', `unix:${path}`);
    await killed.stop('SIGKILL');
    expect(existsSync(path)).toBe(true);
    await start(...memory, '--listen', `unix:${path}`);
    expect(await ask(path)).toBe(widget);
  });

  test('a request in flight at a stop is answered', async () => {
    const path = newPath();
    const shelf = await start(...memory, '--listen', `unix:${path}`);
    const body = '{"id":7,"name":"last","price":1}';
    const socket = connect(path);
    let received = '';
    const closed = new Promise((resolve) => socket.on('data', (chunk) => (received += chunk)).on('close', resolve));
    const expecting = 'Host: localhost\r\nExpect: 100-continue';
    socket.write(`POST /api/items HTTP/1.1\r\n${expecting}\r\nContent-Length: ${body.length}\r\n\r\n`);
    await once(socket, 'data');
    expect(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const stopped = shelf.stop();
    while (existsSync(path)) await Bun.sleep(5);
    socket.write(body);
    await closed;
    expect(received).toContain('HTTP/1.1 201 Created');
    expect(await stopped).toBe(0);
  });

  test.each([
    ['a file that is not a socket', (folder: string) => join(folder, 'file'), 'the file is not a socket'],
    ['a folder that does not exist', (folder: string) => join(folder, 'no/shelf.sock'), 'check that its folder exists'],
    ['a path that is too long', (folder: string) => join(folder, 'x'.repeat(120)), 'more than 100 bytes'],
  ])('%s is one line at the start', async (_, pathIn, message) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), 'kept');
    const path = pathIn(folder);
    const { stderr, code } = await runShelf({ args: [...memory, '--port', '0', '--listen', `unix:${path}`] });
    expect(stderr).toStartWith(`shelf: Cannot listen on unix:${path}`);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(code).toBe(1);
    expect(await Bun.file(join(folder, 'file')).text()).toBe('kept');
  });

  test('a socket that another server serves is one line at the start, and stays in use', async () => {
    const path = newPath();
    await start(...memory, '--listen', `unix:${path}`);
    const { stderr, code } = await runShelf({ args: [...memory, '--port', '0', '--listen', `unix:${path}`] });
    expect(stderr).toBe(
      `shelf: Cannot listen on unix:${path}: another process serves it. Stop that process, or choose another path for --listen.\n`,
    );
    expect(code).toBe(1);
    expect(await ask(path)).toBe(widget);
  });

  test('a start that fails leaves no file', async () => {
    const path = newPath();
    const shelf = await start(...memory);
    const { port } = new URL(shelf.url);
    const { code } = await runShelf({ args: [...memory, '--port', port, '--listen', `unix:${path}`] });
    expect(code).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  test.each(['shelf.sock', 'tcp:8000', 'unix:'])('--listen %s is refused', async (value) => {
    const { stderr, code } = await runShelf({ args: [...memory, '--listen', value] });
    expect(stderr).toBe(`shelf: --listen must be unix:PATH, or none, not "${value}".\n`);
    expect(code).toBe(2);
  });
});

test.skipIf(postgresUrl === undefined)('workers share the socket and the certificate', async () => {
  const files = new TlsFolder(temporaryFolder());
  const path = newPath();
  const port = String(freePort());
  const database = ['--database', await newDatabase(), '--workers', '2', '--port', port];
  const shelf = await start(...database, ...files.args, '--listen', `unix:${path}`);
  for (let started = 0; started < 2; started++) await shelf.line(({ event }) => event === 'worker started');
  for (let n = 0; n < 20; n++) {
    expect(await ask(path)).toBe(widget);
    const answer = await fetch(`https://127.0.0.1:${port}/api/items/1`, { ...files.trust(), keepalive: false });
    expect(await answer.text()).toBe(widget);
  }
  files.renew();
  for (let renewed = 0; renewed < 2; renewed++) await shelf.line(({ event }) => event === 'certificate');
  const answer = await fetch(`https://127.0.0.1:${port}/api/items/1`, { ...files.trust(), keepalive: false });
  expect(await answer.text()).toBe(widget);
  expect(await shelf.stop()).toBe(0);
  expect(existsSync(path)).toBe(false);
});
