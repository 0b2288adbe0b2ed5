/** Shelf: how it is started, and filled with the thousand items that all peers have. */
import { command } from '../../test/support/servers/process.ts';
import { anyCertificate, launch, newFolder, type Peer, root, type Server, schemeOf, type TlsPaths } from './launch.ts';

/** The command `shelf`, as test/support/servers/process.ts has it; from another file if `main` is given. */
export const shelfProgram = (main?: string) => (main === undefined ? command : [process.execPath, main]);

export const shelfCommand = (database: string, main?: string) => [
  ...shelfProgram(main),
  '--log',
  'off',
  '--database',
  database,
];

export const flagsOf = (threads: number) => ['--threads', String(threads)];

/** Shelf on an existing file. */
export function startShelfOn(
  path: string,
  port: number,
  flags: readonly string[] = [],
  cores?: string,
): Promise<Server> {
  return launch([...shelfCommand(`sqlite:${path}`), ...flags], port, root, {}, undefined, cores);
}

/** Resolves when all records of a collection of the contract are in memory: only then has its list an ETag. */
export async function recordsInMemory({ base }: Server, list = '/api/items'): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if ((await fetch(base + list, { method: 'HEAD' })).headers.get('ETag') !== null) return;
    await Bun.sleep(100);
  }
  throw new Error(`the records of ${list} are not in memory after a minute`);
}

/** Without the first record, which Shelf has already. */
export const thousand = Array.from({ length: 999 }, (_, n) => ({
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

export type ShelfOptions = {
  /** The file that it is started from. */
  readonly main?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The database in a folder that is removed afterwards. */
  readonly database?: (folder: string) => string;
};

/** Shelf with a thousand items, in a file of its own unless `database` says otherwise. */
export const shelfPeer = (
  name: string,
  { main, flags = [], env = {}, database = (folder) => `sqlite:${folder}/shelf.db` }: ShelfOptions = {},
): Peer => ({
  name,
  keeps: database('') === 'memory:' ? 'memory' : 'disk',
  setUp: () => undefined,
  start: async (port: number, tls?: TlsPaths, cores?: string) => {
    const folder = newFolder();
    const secure = tls === undefined ? [] : ['--tls-cert', tls.cert, '--tls-key', tls.key];
    const started = [...shelfCommand(database(folder), main), ...flags, ...secure];
    const server = await launch(started, port, root, env, folder, cores, schemeOf(tls));
    await storeThousand(server);
    return server;
  },
});
