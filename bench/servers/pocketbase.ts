/** PocketBase: how it is installed, and started on a folder. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { built, launch, missing, newFolder, type Peer, peerFolder, run, type Server } from './launch.ts';

/** As it is shipped. */
export const pocketbaseProgram = join(built, 'base');

function setUp(): string | undefined {
  if (existsSync(pocketbaseProgram)) return undefined;
  return (
    missing('go') ??
    run(['go', 'install', 'github.com/pocketbase/pocketbase/examples/base@v0.39.8'], peerFolder, {
      GOBIN: built,
      GOFLAGS: '-mod=mod',
    })
  );
}

/** The same, except that the variable SYNCHRONOUS chooses how commits are synced. As it is shipped, a commit is not on the disk when it is answered. */
export const synced = {
  program: join(built, 'pocketbase'),
  setUp: () => missing('go') ?? run(['go', 'build', '-o', synced.program, '.'], join(peerFolder, 'pocketbase')),
  /** `synchronous` is the setting of SQLite: FULL is Shelf's, NORMAL is PocketBase's own. */
  env: (synchronous: 'FULL' | 'NORMAL') => ({ SYNCHRONOUS: synchronous }),
};

/**
 * PocketBase writes a migration for each new collection into a folder beside its data, and every start runs those that it finds
 * there. So the data is one level down: beside a temporary folder, the migrations of one run would be those of all later ones.
 */
export const pocketbaseData = (folder: string) => join(folder, 'data');

export type PocketbaseOptions = {
  readonly program?: string;
  readonly env?: Record<string, string>;
  /** It is removed when the server has stopped. */
  readonly removed?: string;
  readonly cores?: string | undefined;
};

/** Starts PocketBase on what `folder` has. */
export function startPocketbase(
  folder: string,
  port: number,
  { program = pocketbaseProgram, env, removed, cores }: PocketbaseOptions = {},
): Promise<Server> {
  const command = [program, 'serve', '--dir', pocketbaseData(folder), '--http', `127.0.0.1:${port}`];
  return launch(command, port, folder, env, removed, cores);
}

/** Starts PocketBase on `folder`, which is empty; `admin` sends requests as its superuser. */
export async function newPocketbase(folder: string, port: number, options: PocketbaseOptions = {}) {
  const { program = pocketbaseProgram, env } = options;
  const credentials = { identity: 'bench@example.com', password: 'benchmark-only' };
  const superuser = ['superuser', 'upsert', credentials.identity, credentials.password];
  mkdirSync(pocketbaseData(folder));
  const failed = run([program, ...superuser, '--dir', pocketbaseData(folder)], folder, env);
  if (failed !== undefined) throw new Error(`PocketBase: no superuser: ${failed}`);
  const server = await startPocketbase(folder, port, options);
  const send = async (method: string, path: string, body: unknown, token = '') => {
    const headers = { 'Content-Type': 'application/json', Authorization: token };
    const response = await fetch(server.base + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`PocketBase: ${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string; token: string };
  };
  const { token } = await send('POST', '/api/collections/_superusers/auth-with-password', credentials);
  return { server, admin: (method: string, path: string, body: unknown) => send(method, path, body, token) };
}

/** With a collection of items, created through PocketBase's own API, with public access. */
export const pocketbasePeer: Peer = {
  name: 'pocketbase',
  keeps: 'disk',
  setUp,
  start: async (port, _tls, cores) => {
    const folder = newFolder();
    const { server, admin } = await newPocketbase(folder, port, { removed: folder, cores });
    const fields = [
      { name: 'number', type: 'number', required: true },
      { name: 'name', type: 'text', required: true },
      { name: 'price', type: 'number', required: true },
    ];
    const rules = { createRule: '', listRule: '', viewRule: '' };
    await admin('POST', '/api/collections', { name: 'items', type: 'base', fields, ...rules });
    return server;
  },
  paths: { list: '/api/collections/items/records' },
};
