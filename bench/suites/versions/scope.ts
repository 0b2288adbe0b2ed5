/** npm run bench -- --scope REVISION: a caller whose key has a scope, in this checkout beside another revision. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/support/servers/network/free-port.ts';
import type { Script } from '../../measure/load.ts';
import { inTurns, type Plan } from '../../measure/two-servers.ts';
import type { Work } from '../../measure/work.ts';
import { launch, newFolder, root } from '../../servers/launch.ts';
import { shelfCommand, shelfProgram, storeThousand } from '../../servers/shelf.ts';
import { checkOut, type WorkComparison } from './against.ts';

type Keyed = { readonly main: string | undefined; readonly database: string; readonly key: string };

const scripts: readonly (Pick<Work, 'name' | 'title'> & { lua(key: string): string; path: string })[] = [
  {
    name: 'one',
    title: 'GET one item with a key, 1,000 items stored',
    path: '/api/v2/items/1',
    lua: (key) => `wrk.headers["Authorization"] = "Bearer ${key}"
request = function() return wrk.format("GET", "/api/v2/items/" .. math.random(1000)) end`,
  },
  {
    name: 'page',
    title: 'A page of 30 items with a key, 1,000 items stored',
    path: '/api/v2/items?limit=30',
    lua: (key) => `wrk.headers["Authorization"] = "Bearer ${key}"`,
  },
];

/** A database with a thousand items and a key that reads, made by the revision that serves it. */
async function keyed(folder: string, name: string, main?: string): Promise<Keyed> {
  const database = join(folder, `${name}.db`);
  const server = await launch(shelfCommand(`sqlite:${database}`, main), freePort(), root);
  await storeThousand(server);
  await server.stop();
  const create = [...shelfProgram(main), 'keys', 'create', '--name', 'reader', '--scope', 'read'];
  const { stdout, exitCode } = Bun.spawnSync([...create, '--database', `sqlite:${database}`]);
  if (exitCode !== 0) throw new Error(`${name}: no key was made`);
  return { main, database, key: stdout.toString().trim() };
}

function start({ main, database }: Keyed, port: number) {
  const folder = newFolder();
  const copy = join(folder, 'shelf.db');
  cpSync(database, copy);
  return launch([...shelfCommand(`sqlite:${copy}`, main), '--auth', 'all'], port, root, {}, folder);
}

export async function scopeBench(
  revision: string,
  plan: Plan,
  folder: string,
  say: (text: string) => void,
): Promise<WorkComparison[] | { readonly reason: string }> {
  const other = checkOut(revision, folder);
  if ('reason' in other) return other;
  const both = [await keyed(folder, 'this'), await keyed(folder, 'that', other.main)] as const;
  const all: WorkComparison[] = [];
  for (const { name, title, path, lua } of scripts) {
    const side = (one: Keyed) => {
      const script: Script = { name: `${name}-with-key`, path, lua: lua(one.key) };
      return { start: () => start(one, freePort()), script };
    };
    const compared = await inTurns([side(both[0]), side(both[1])], plan, folder, (text) => say(`${name}  ${text}`));
    all.push({ work: { name, title }, ...compared });
  }
  return all;
}
