/** The command as an operator uses it: settings, log, signals, restarts, and mistakes. */

import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { readCommand } from '../../src/cli/config/config.ts';
import { UsageError } from '../../src/cli/config/environment.ts';
import { helpText } from '../../src/cli/config/help.ts';
import { bannerText } from '../../src/cli/serve/banner.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { openRaw } from '../support/servers/network/socket.ts';
import { root, runShelf, startShelf } from '../support/servers/process.ts';

const folder = temporaryFolder();
const memory = ['--database', 'memory:'];

test('the version is that of the package', async () => {
  const { stdout, code } = await runShelf({ args: ['--version'] });
  expect(stdout).toStartWith(`shelf ${packageJson.version} (bun `);
  expect(code).toBe(0);
});

test('--help prints the help text of a command', async () => {
  const { stdout, code } = await runShelf({ args: ['keys', 'create', '--help'] });
  expect(stdout).toBe(helpText('keys create'));
  expect(code).toBe(0);
});

test.each([
  ['--prot 1', 'Unknown option "--prot"; did you mean "--port"?'],
  ['migrate --paln', 'Unknown option "--paln"; did you mean "--plan"?'],
  ['--zzzzzz', 'Unknown option "--zzzzzz": --help lists all options.'],
  ['chek', 'Unknown command "chek"; did you mean "check"?'],
  ['mvoe --to x', 'Unknown command "mvoe"; did you mean "move"?'],
  ['serve', 'Unknown command "serve": --help lists all commands.'],
  ['postgres://u:S3cret@h/d', 'Unknown command "postgres://u:***@h/d": --help lists all commands.'],
  ['migrate now', 'Unknown argument "now": --help lists all options.'],
  ['keys craete', 'Unknown command "keys craete"; did you mean "create"?'],
])('shelf %s: %s', (line, message) => {
  expect(() => readCommand(line.split(' '), {})).toThrow(new UsageError(message));
});

describe('a mistake at the start is answered with one line and a non-zero exit code', () => {
  test.each([
    [['--port', 'abc'], {}, 2, '--port must be a port number from 0 to 65535, not "abc".'],
    [['--port', '65536'], {}, 2, '--port must be a port number'],
    [['--port'], {}, 2, '--port needs a value'],
    [['--prot', '1'], {}, 2, 'Unknown option "--prot"; did you mean "--port"?'],
    [['--host', 'not a host'], {}, 2, '--host must be a host name or an IP address'],
    [
      ['--database', 'mysql://x'],
      {},
      2,
      '--database must be sqlite:PATH, postgres://USER:PASSWORD@HOST[,HOST...]/NAME or memory:, not "mysql://x".',
    ],
    [['--max-body', '1GB'], {}, 2, '--max-body must be a size'],
    [['--max-body', '0'], {}, 2, '--max-body must be a size'],
    [['--log', 'loud'], {}, 2, '--log must be json, text, off or auto'],
    [[], { DATABASE_URL: 'mysql://me:secret@host/x' }, 2, 'not "mysql://me:***@host/x".'],
    [['--database', 'postgres://u:S3cr/t@h/d'], {}, 2, 'not "postgres://u:***@h/d".'],
    [['--database', 'postgres://u:%zz@h/d'], {}, 2, 'not "postgres://u:***@h/d".'],
    [['--database', 'postgres://u@h/d?sslmode=bogus'], {}, 2, '--database must be'],
    [['--database', 'postgres://u@h/d?password=S3cret'], {}, 2, 'not "postgres://u@h/d?***".'],
    [['--database', 'postgres://u@h/d?sslmode=require&password=S3#cr&et'], {}, 2, 'not "postgres://u@h/d?***".'],
    [['--database', 'postgres://u:S3cret'], {}, 2, 'not "postgres://u:***".'],
    [['--database', 'host=h user=u password=S3cret'], {}, 2, 'not "host=h user=u password=***".'],
    [
      ['--cors', 'https://*.example.com'],
      {},
      2,
      '--cors must be origins such as https://app.example.com, without wildcards',
    ],
    [['backup'], {}, 2, 'Usage: shelf backup FILE'],
    [['--databse=postgres://u:S3cret@h/d'], {}, 2, 'Unknown option "--databse"'],
    [['--database', `sqlite:/tmp/${'x'.repeat(300)}/a.db`], {}, 1, 'Cannot open the database'],
    [[], { PORT: 'x' }, 2, 'PORT must be a port number from 0 to 65535, not "x".'],
    [
      ['--host', 'no-such-host.invalid', ...memory],
      {},
      1,
      'Cannot listen on no-such-host.invalid: there is no such host',
    ],
    [['--database', 'sqlite:/proc/nope/shelf.db'], {}, 1, 'Cannot open the database /proc/nope/shelf.db'],
  ])('%j %j', async (args, env, exit, message) => {
    const { stdout, stderr, code } = await runShelf({ args, env: env as Record<string, string> });
    expect(stderr).toStartWith('shelf: ');
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(stdout).toBe('');
    expect(code).toBe(exit);
  });

  test('a port that is in use', async () => {
    const shelf = await startShelf({ args: memory });
    const { port } = new URL(shelf.url);
    const { stderr, code } = await runShelf({ args: ['--port', port, ...memory] });
    expect(stderr).toBe(
      `shelf: Cannot listen on port ${port} on 127.0.0.1: the port is in use. Stop the process that uses it, or choose another --port.\n`,
    );
    expect(code).toBe(1);
    expect(await shelf.stop()).toBe(0);
  });

  test('a file that another server has open', async () => {
    const database = `sqlite:${join(folder, 'taken.db')}`;
    const shelf = await startShelf({ args: ['--database', database] });
    const { stderr, code } = await runShelf({ args: ['--port', '0', '--database', database] });
    expect(stderr).toContain('is in use by another Shelf server: stop that one');
    expect(code).toBe(1);
    expect((await fetch(`${shelf.url}/api/items`)).status).toBe(200);
    expect(await shelf.stop()).toBe(0);
  });

  test('a file that is not a database', async () => {
    const path = join(folder, 'text.db');
    writeFileSync(path, 'not a database, only text '.repeat(100));
    const { stderr, code } = await runShelf({ args: ['--database', `sqlite:${path}`] });
    expect(stderr).toContain('is not a SQLite database');
    expect(code).toBe(1);
  });
});

describe('a database that must exist', () => {
  const refused = async (database: string, ...command: string[]) => {
    const { stderr, code } = await runShelf({ args: [...command, '--database', database, '--database-must-exist'] });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^shelf: [^\n]*\n$/);
    return stderr;
  };

  test('is created neither by a start nor by keys create', async () => {
    const path = join(folder, 'unmounted', 'shelf.db');
    const missing = `The database ${path} does not exist and --database-must-exist is on: mount its volume`;
    expect(await refused(`sqlite:${path}`)).toContain(missing);
    const key = ['keys', 'create', '--name', 'k', '--scope', 'read'];
    expect(await refused(`sqlite:${path}`, ...key)).toContain(`The database ${path} does not exist`);
    expect(existsSync(join(folder, 'unmounted'))).toBe(false);

    const empty = join(folder, 'empty.db');
    writeFileSync(empty, '');
    expect(await refused(`sqlite:${empty}`)).toContain(`The database ${empty} is empty and`);
    expect(readFileSync(empty).length).toBe(0);
    expect(await refused('memory:')).toContain('memory: is always a new database');
  });

  test.each(lastingEngines())('is created by migrate on %s, and can then be served', async (name, newUrl) => {
    const database = await newUrl();
    if (name === 'postgres') expect(await refused(database)).toContain('The database has no Shelf tables');
    const settings = ['--database', database, '--database-must-exist'];
    expect(await runShelf({ args: ['migrate', ...settings] })).toMatchObject({ code: 0, stderr: '' });
    const shelf = await startShelf({ args: settings });
    expect(shelf.output()).toContain('"new_database":false');
    expect(await shelf.stop()).toBe(0);

    const fresh = await startShelf({ args: ['--database', await newUrl()] });
    expect(fresh.output()).toContain('"new_database":true');
    const document = (await (await fetch(`${fresh.url}/openapi.json`)).json()) as { info: { version: string } };
    expect(document.info.version).toBe(packageJson.version);
    expect(await fresh.stop()).toBe(0);
  });

  test('is marked in the banner on a terminal if it is new', () => {
    const told = {
      version: '1',
      url: 'http://127.0.0.1:8000',
      api: 'http://127.0.0.1:8000/api/v2',
      docs: 'd',
      database: '/data/shelf.db',
      records: {},
      uncounted: 0,
    };
    expect(bannerText({ ...told, new_database: true })).toContain('Data      /data/shelf.db (new database)\n');
    expect(bannerText({ ...told, new_database: false })).toContain('Data      /data/shelf.db\n');
    expect(bannerText({ ...told, new_database: false, console: 'c' })).toContain('Docs      d\n  Console   c\n  Data');
    expect(bannerText({ ...told, new_database: false })).toContain(
      'API       http://127.0.0.1:8000/api/v2\n  Contract  http://127.0.0.1:8000/api\n',
    );
  });
});

describe('a switch', () => {
  const config = (...args: string[]) => {
    const command = readCommand(args, {});
    return 'config' in command ? command.config : undefined;
  };

  test('without a value is on', () => {
    const on = { log: { metrics: true } };
    const off = { log: { metrics: false } };
    expect(config()).toMatchObject({ ...off, database: { mustExist: false } });
    expect(config('--metrics')).toMatchObject(on);
    expect(config('--metrics', '--port', '1')).toMatchObject({ ...on, server: { port: 1 } });
    expect(config('--metrics', 'off', '--database-must-exist')).toMatchObject({
      ...off,
      database: { mustExist: true },
    });
    expect(config('--metrics=off')).toMatchObject(off);
    expect(config('--database-prepare', 'on')).toMatchObject({ database: { prepare: true } });
  });

  test('takes no other value', () => {
    expect(() => config('--metrics', 'yes')).toThrow('--metrics must be on or off, not "yes".');
    expect(() => config('--metrics=')).toThrow('--metrics must be on or off, not "".');
  });
});

describe('settings', () => {
  test('a flag overrides its variable, and an empty variable is ignored', async () => {
    const env = { DATABASE_URL: `sqlite:${join(folder, 'env.db')}`, SHELF_MAX_BODY: '50', SHELF_LOG: '', HOST: '' };
    const shelf = await startShelf({ args: ['--max-body=20'], env });
    const response = await fetch(`${shelf.url}/api/users`, { method: 'POST', body: '{"id":2,"name":"abcdefgh"}' });
    expect(await response.json()).toEqual({ detail: 'The body is over the limit of 20 bytes.' });
    expect(shelf.output()).toContain('env.db');
    expect(await shelf.stop()).toBe(0);
  });

  test('variables of other programs are ignored', async () => {
    const env = {
      LOG_LEVEL: 'debug',
      LOG: 'x',
      CACHE: 'redis',
      WORKERS: '99',
      CORS: 'true',
      SHELF_PORT: 'tcp://10.0.0.1',
    };
    const shelf = await startShelf({ args: memory, env });
    expect((await fetch(`${shelf.url}/api/items`)).status).toBe(200);
    expect(await shelf.stop()).toBe(0);
    expect(await shelf.errors()).toBe('');
  });

  test.each([
    ['AUTH', 'all', '--auth'],
    ['JWT_ISSUER', 'https://id.example.com', '--jwt-issuer'],
    ['JWT_KEYS', '/jwks.json', '--jwt-keys'],
    ['JWT_AUDIENCE', 'shelf', '--jwt-audience'],
    ['RATE_LIMIT', '10/s', '--rate-limit'],
  ])('the old name %s is refused, because ignoring it would open the server', async (old, value, flag) => {
    const { code, stderr } = await runShelf({ args: memory, env: { [old]: value } });
    expect(code).toBe(2);
    expect(stderr).toBe(
      `shelf: ${old} is called SHELF_${old} since 0.5.0: rename it, or set SHELF_${old} too if ${old} belongs to another program.\n`,
    );
    // The new name or the flag resolves the ambiguity; a command that does not serve ignores the old name.
    const right = { auth: 'write', 'rate-limit': '9/s' }[flag.slice(2)] ?? 'none';
    expect(() => readCommand([], { [old]: value, [`SHELF_${old}`]: right })).not.toThrow();
    expect(() => readCommand([flag, right], { [old]: value })).not.toThrow();
    expect(() => readCommand(['migrate'], { [old]: value })).not.toThrow();
    expect(() => readCommand([], { [old]: value, [`SHELF_${old}`]: '' })).toThrow(`SHELF_${old}`);
  });

  test('the database URL can be read from a file', async () => {
    const [file, path] = [join(folder, 'url'), join(folder, 'by-file.db')];
    writeFileSync(file, `sqlite:${path}\n`);
    const shelf = await startShelf({ env: { DATABASE_URL_FILE: file } });
    expect(shelf.output()).toContain(path);
    expect(await shelf.stop()).toBe(0);

    const failed = async (env: Record<string, string>) => (await runShelf({ env })).stderr;
    expect(await failed({ DATABASE_URL_FILE: join(folder, 'nowhere') })).toContain('Cannot read DATABASE_URL_FILE');
    expect(await failed({ DATABASE_URL_FILE: file, DATABASE_URL: 'memory:' })).toContain('both set: unset one of them');
    writeFileSync(file, 'postgres://u:S3cret@h');
    expect(await failed({ DATABASE_URL_FILE: file })).toMatch(/^shelf: DATABASE_URL_FILE must be .* not "[^"S]*"\.\n$/);
  });

  test('unsafe settings cause a warning', async () => {
    const warned = async (args: string[], env = {}) => {
      const { stderr } = await runShelf({ args, env });
      return stderr.split('\n').filter((line) => line.startsWith('shelf: Warning: '));
    };
    const secret = 'postgres://u:S3cret@127.0.0.1:1/d';
    const soon = ['--database-wait', '100ms'];
    const flagged = await warned(['--database', secret, ...soon]);
    expect(flagged).toEqual([
      'shelf: Warning: the password in --database is visible to every user of this machine (ps): set DATABASE_URL or DATABASE_URL_FILE instead.',
    ]);
    expect(await warned(['keys', 'list', '--database', secret, ...soon])).toEqual(flagged);
    expect(await warned(soon, { DATABASE_URL: secret })).toEqual([]);

    const jwt = ['--auth', 'all', '--jwt-issuer', 'https://id.example.com'];
    const warnings = (...args: string[]) => {
      const command = readCommand([...jwt, ...args], {});
      return 'warnings' in command ? command.warnings.join() : '';
    };
    expect(warnings('--jwt-keys', 'http://id.example.com/jwks', '--jwt-audience', 'a')).toContain('fetched over http');
    expect(warnings('--jwt-keys', 'https://id.example.com/jwks')).toContain('without --jwt-audience');
    expect(warnings('--jwt-keys', 'https://id.example.com/jwks', '--jwt-audience', 'a')).toBe('');
  });

  test('listening beyond loopback without authentication causes a warning', async () => {
    const wide = await startShelf({ args: ['--host', '0.0.0.0', ...memory] });
    const narrow = await startShelf({ args: ['--host', '127.0.0.1', ...memory] });
    expect(await wide.stop()).toBe(0);
    expect(await narrow.stop()).toBe(0);
    expect(await wide.errors()).toContain('without authentication');
    expect(await narrow.errors()).toBe('');
  });
});

/** Drops a table of a running server; the first write makes sure that its writing thread has started. */
async function dropUsers(url: string, path: string): Promise<void> {
  await fetch(`${url}/api/items`, { method: 'POST', body: '{"id":2,"name":"x","price":1}' });
  const db = new Database(path);
  db.run('drop table users');
  db.close();
}

describe('the log', () => {
  test('starts with a line that names the URL and the database', async () => {
    const path = join(folder, 'banner.db');
    const shelf = await startShelf({ args: ['--database', `sqlite:${path}`] });
    const banner = JSON.parse(shelf.output().split('\n')[0] ?? '');
    expect(banner).toMatchObject({
      event: 'listening',
      docs: `${shelf.url}/docs`,
      database: path,
      new_database: true,
      records: { items: 1, users: 1 },
    });
    expect(await shelf.stop()).toBe(0);
    const again = await startShelf({ args: ['--database', `sqlite:${path}`] });
    expect(again.output()).toContain('"new_database":false');
    expect(await again.stop()).toBe(0);
  });

  test('has the address of the console, unless it is off', async () => {
    const shelf = await startShelf({ args: memory });
    expect(shelf.output()).toContain(`"console":"${shelf.url}/console"`);
    expect(await shelf.stop()).toBe(0);
    const without = await startShelf({ args: [...memory, '--console', 'off'] });
    expect(without.output()).not.toContain('/console');
    expect(await without.stop()).toBe(0);
  });

  test('has one line per request', async () => {
    const shelf = await startShelf({ args: memory });
    const response = await fetch(`${shelf.url}/api/items?secret=1`, { headers: { 'X-Request-Id': 'mine-1' } });
    const text = await response.text();
    const line = await shelf.line(({ event }) => event === 'request');
    expect(line).toMatchObject({
      level: 'info',
      request_id: 'mine-1',
      method: 'GET',
      path: '/api/items',
      status: 200,
      bytes: text.length,
    });
    expect(Number(line.ms)).toBeGreaterThan(0);
    for (const odd of ['two words', 'x'.repeat(129)]) {
      const { headers } = await fetch(`${shelf.url}/api/items`, { headers: { 'X-Request-Id': odd } });
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{13}-[0-9a-z]+$/);
    }
    expect(new Date(String(line.time)).toISOString()).toBe(String(line.time));
    expect(await shelf.stop()).toBe(0);
  });

  test('client input can neither break a line nor forge one', async () => {
    const shelf = await startShelf({ args: memory });
    const paths = ['/%0a{"event":"forged"}', '/a\u2028b', '/a\u202eb', '/%1b%5b2J', '/"quoted"\\'];
    for (const [index, path] of paths.entries()) {
      const raw = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: bad id ${index}\r\nConnection: close\r\n\r\n`;
      await openRaw(shelf.url, raw).closed;
    }
    await fetch(`${shelf.url}/healthz`);
    await shelf.line(({ path }) => path === '/healthz');
    expect(await shelf.stop()).toBe(0);
    const output = shelf.output();
    for (const text of output.trimEnd().split('\n'))
      expect(['listening', 'request', 'stopped']).toContain(JSON.parse(text).event);
    expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    expect(output).not.toContain('bad id');
    expect(output.split('\n').length).toBe(paths.length + 4);
  });

  test('an internal error is answered without its details and logged with them', async () => {
    const path = join(folder, 'broken.db');
    const shelf = await startShelf({ args: ['--database', `sqlite:${path}`, '--cache', '0'] });
    await dropUsers(shelf.url, path);
    const response = await fetch(`${shelf.url}/api/users`, { headers: { 'X-Request-Id': 'broken-1' } });
    expect(response.status).toBe(500);
    expect(await response.text()).toBe(
      '{"detail":"Internal server error: the log has it under the X-Request-Id of this answer."}',
    );
    const line = await shelf.line(({ event }) => event === 'error');
    expect(line).toMatchObject({ level: 'error', request_id: 'broken-1' });
    expect(String(line.error)).toContain('no such table: users');
    expect(String(line.error)).toContain('at openReader');
    expect((await fetch(`${shelf.url}/api/items`)).status).toBe(200);
    expect(await shelf.stop()).toBe(0);
  });

  test('has errors even if it is switched off', async () => {
    const path = join(folder, 'quiet.db');
    const shelf = await startShelf({ args: ['--database', `sqlite:${path}`, '--log', 'off', '--cache', '0'] });
    await dropUsers(shelf.url, path);
    expect((await fetch(`${shelf.url}/api/users`)).status).toBe(500);
    expect(await shelf.line(({ level }) => level === 'error')).toMatchObject({ event: 'error' });
    expect(await shelf.stop()).toBe(0);
  });

  test('can be switched off', async () => {
    const shelf = await startShelf({ args: [...memory, '--log', 'off'] });
    expect((await fetch(`${shelf.url}/healthz`)).status).toBe(200);
    expect(await shelf.stop()).toBe(0);
    expect(shelf.output()).toContain('"event":"listening"');
    expect(shelf.output()).not.toContain('healthz');
  });

  test('can lose its reader without stopping the service', async () => {
    const shelf = await startShelf({ args: memory });
    await shelf.stopReading();
    for (let n = 0; n < 100; n++) expect((await fetch(`${shelf.url}/healthz`)).status).toBe(200);
    expect(await shelf.stop()).toBe(0);
  });
});

test('/readyz is 503 while the database does not answer', async () => {
  const path = join(folder, 'unready.db');
  const shelf = await startShelf({ args: ['--database', `sqlite:${path}`] });
  const db = new Database(path);
  db.run('drop table schema_version');
  db.close();
  const response = await fetch(`${shelf.url}/readyz`);
  expect(response.status).toBe(503);
  expect(response.headers.get('Retry-After')).toBe('1');
  expect(await response.json()).toEqual({ detail: 'The database does not answer: retry shortly.' });
  expect((await fetch(`${shelf.url}/healthz`)).status).toBe(200);
  expect(await shelf.stop()).toBe(0);
});

test('npm run dev restarts when a file changes', async () => {
  const copy = join(folder, 'watched');
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const [, , ...flags] = packageJson.scripts.dev.replace('exec ', '').split(' ').slice(0, -1);
  const command = [process.execPath, ...flags, join(copy, 'src/cli/main.ts')];
  const shelf = await startShelf({ command, cwd: copy });
  await shelf.line(({ event }) => event === 'listening');
  const file = join(copy, 'src/collections/items.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace('Widget', 'Gadget'));
  await shelf.line(({ event }) => event === 'listening');
  await shelf.stop();
});

describe('stopping and starting again', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s finishes requests in flight, closes the database and exits 0',
    async (signal) => {
      const path = join(folder, `${signal}.db`);
      const shelf = await startShelf({ args: ['--database', `sqlite:${path}`] });
      const body = '{"id":5,"name":"in flight"}';
      const client = openRaw(
        shelf.url,
        `POST /api/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      await client.until(/100 Continue/);

      const stopped = shelf.stop(signal);
      // The rest of the request is sent only after the port is closed.
      while (
        await fetch(`${shelf.url}/healthz`).then(
          (response) => response.ok,
          () => false,
        )
      );
      client.socket.write(body);
      expect(await client.closed).toContain('201 Created');
      expect(await stopped).toBe(0);

      expect(await Bun.file(`${path}-wal`).exists()).toBe(false);
      const db = new Database(path, { readonly: true });
      expect(db.prepare('select name from users where id = 5').all()).toEqual([{ name: 'in flight' }]);
      db.close();
    },
  );

  test('writes that were answered with 201 are stored once and in order after kill -9', async () => {
    const args = ['--database', `sqlite:${join(folder, 'killed.db')}`];
    const acknowledged: number[] = [1];
    for (let round = 0; round < 3; round++) {
      const shelf = await startShelf({ args });
      const from = round * 1000;
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let n = 0; n < 250; n++) {
          const id = from + writer * 250 + n + 2;
          const body = JSON.stringify({ id, name: `n${id}` });
          const created = await fetch(`${shelf.url}/api/users`, { method: 'POST', body }).catch(() => undefined);
          if (created?.status !== 201) return;
          acknowledged.push(id);
          if (acknowledged.length === 100 * (round + 1)) process.kill(shelf.pid, 'SIGKILL');
        }
      });
      await Promise.all(writers);
      await shelf.exited;
    }
    const shelf = await startShelf({ args });
    const listed = ((await (await fetch(`${shelf.url}/api/users`)).json()) as { id: number }[]).map(({ id }) => id);
    expect(new Set(listed).size).toBe(listed.length);
    const known = new Set(acknowledged);
    // An unanswered write may be stored too. The list keeps the order of each writer.
    for (const id of acknowledged) expect(listed).toContain(id);
    for (let writer = 0; writer < 12; writer++) {
      const own = listed.filter((id) => known.has(id) && id > 1 && Math.floor((id - 2) / 250) === writer);
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
    expect(await shelf.stop()).toBe(0);
  }, 120_000);
});
