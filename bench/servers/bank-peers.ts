/** Servers that move money among a thousand accounts: each move is five operations in one transaction. */
import { Database } from 'bun:sqlite';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import type { Script } from '../measure/load.ts';
import { launch, newFolder, type Peer, peerFolder, type Server } from './launch.ts';
import { setUpNode } from './peers.ts';
import { newPocketbase, synced } from './pocketbase.ts';
import { shelfCommand } from './shelf.ts';
import { newerNode, setUpNewerNode } from './thing-peers.ts';

export type BankPeer = Pick<Peer, 'name' | 'setUp'> & {
  readonly script: Script;
  start(port: number): Promise<Server>;
};

const accounts = 1000;
/** More than any run takes from one account. */
const balance = 1_000_000_000;

const shelfFile = {
  collections: {
    accounts: { fields: { balance: { type: 'integer', min: 0 } } },
    moves: {
      fields: {
        source: { type: 'reference', to: 'accounts' },
        target: { type: 'reference', to: 'accounts' },
        amount: { type: 'integer', min: 1 },
      },
    },
    entries: { fields: { move: { type: 'reference', to: 'moves' }, text: 'text' } },
  },
};

/** `body` is an expression of Lua with the accounts `a` and `b`. */
const script = (path: string, body: string): Script => ({
  name: 'transaction',
  path,
  lua: `math.randomseed(os.time())
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
  local a = math.random(${accounts})
  local b = (a + math.random(${accounts - 1}) - 1) % ${accounts} + 1
  return wrk.format(nil, "${path}", nil, ${body})
end`,
});

const shelfBody = `string.format('{"operations":[' ..
    '{"op":"check","collection":"accounts","id":%d,"where":{"balance":{"gte":1}}},' ..
    '{"op":"add","collection":"accounts","id":%d,"record":{"balance":-1}},' ..
    '{"op":"add","collection":"accounts","id":%d,"record":{"balance":1}},' ..
    '{"op":"create","collection":"moves","as":"move","record":{"source":%d,"target":%d,"amount":1}},' ..
    '{"op":"create","collection":"entries","record":{"move":{"created":"move"},"text":"moved"}}]}', a, a, b, a, b)`;

/** `database` gets a folder that is removed afterwards. */
export const shelfBank = (database: (folder: string) => string): BankPeer => ({
  name: 'shelf',
  setUp: () => undefined,
  script: script('/api/v2/transactions', shelfBody),
  start: async (port) => {
    const folder = newFolder();
    const config = join(folder, 'shelf.json');
    writeFileSync(config, JSON.stringify(shelfFile));
    const command = [...shelfCommand(database(folder)), '--config', config, '--port', String(port)];
    const server = await launch(command, port, folder, {}, folder);
    while (!(await fetch(`${server.base}/readyz`)).ok) await Bun.sleep(10);
    const list = await fetch(`${server.base}/api/v2/accounts?limit=1`);
    if (((await list.json()) as { data: unknown[] }).data.length > 0) return server;
    const lines = Array.from({ length: accounts }, () => JSON.stringify({ balance })).join('\n');
    const bulk = await fetch(`${server.base}/api/v2/accounts/bulk`, { method: 'POST', body: lines });
    if (!bulk.ok) throw new Error(`the accounts were not stored: ${await bulk.text()}`);
    return server;
  },
});

const bankTables = (serial: string) => [
  `create table accounts (id ${serial}, balance bigint not null check (balance >= 0), version bigint not null default 1)`,
  `create table moves (id ${serial}, source bigint not null references accounts (id), target bigint not null references accounts (id), amount bigint not null)`,
  'create index moves_source on moves (source)',
  'create index moves_target on moves (target)',
  `create table entries (id ${serial}, move bigint not null references moves (id), text text not null)`,
  'create index entries_move on entries (move)',
];
const fastifyScript = script('/moves', `string.format('{"from":%d,"to":%d,"amount":1}', a, b)`);

export const fastifyBank: BankPeer = {
  name: 'fastify + node:sqlite',
  setUp: setUpNewerNode,
  script: fastifyScript,
  start: (port) => {
    const folder = newFolder();
    const path = join(folder, 'bank.db');
    const db = new Database(path);
    for (const statement of bankTables('integer primary key')) db.run(statement);
    const add = db.prepare('insert into accounts (balance) values (?)');
    db.transaction(() => {
      for (let n = 0; n < accounts; n++) add.run(balance);
    })();
    add.finalize();
    db.close();
    return launch([newerNode, 'bank.mjs'], port, peerFolder, { DATABASE: path }, folder);
  },
};

/** On a database of its own, which `url` names. */
export const fastifyPostgresBank = (url: string): BankPeer => ({
  name: 'fastify + pg',
  setUp: setUpNode,
  script: fastifyScript,
  start: async (port) => {
    await using sql = new SQL(url);
    await sql.unsafe('drop table if exists entries, moves, accounts');
    for (const statement of bankTables('bigint generated always as identity primary key')) await sql.unsafe(statement);
    await sql.unsafe(`insert into accounts (balance) select ${balance} from generate_series(1, ${accounts})`);
    return launch(['node', 'bank.mjs'], port, peerFolder, { DATABASE_URL: url });
  },
});

/** Each commit is synced. Its ids have 15 characters. A batch has no check, so it has four requests: the field's bound is one. */
const pocketbaseBody = `string.format('{"requests":[' ..
    '{"method":"PATCH","url":"/api/collections/accounts/records/account%08d","body":{"balance-":1}},' ..
    '{"method":"PATCH","url":"/api/collections/accounts/records/account%08d","body":{"balance+":1}},' ..
    '{"method":"POST","url":"/api/collections/moves/records","body":{"source":"account%08d","target":"account%08d","amount":1}},' ..
    '{"method":"POST","url":"/api/collections/entries/records","body":{"account":"account%08d","text":"moved"}}]}', a, b, a, b, a)`;

export const pocketbaseBank: BankPeer = {
  name: 'pocketbase',
  setUp: synced.setUp,
  script: script('/api/batch', pocketbaseBody),
  start: async (port) => {
    const folder = newFolder();
    const { server, admin } = await newPocketbase(folder, port, {
      program: synced.program,
      env: synced.env('FULL'),
      removed: folder,
    });
    // Shelf runs with its log off.
    const batch = { enabled: true, maxRequests: 500, timeout: 30, maxBodySize: 0 };
    await admin('PATCH', '/api/settings', { logs: { maxDays: 0 }, batch });
    const rules = { createRule: '', updateRule: '', listRule: '', viewRule: '' };
    const made = await admin('POST', '/api/collections', {
      name: 'accounts',
      type: 'base',
      fields: [{ name: 'balance', type: 'number', min: 0 }],
      ...rules,
    });
    const toAccount = { type: 'relation', collectionId: made.id, maxSelect: 1, required: true };
    await admin('POST', '/api/collections', {
      name: 'moves',
      type: 'base',
      fields: [
        { name: 'source', ...toAccount },
        { name: 'target', ...toAccount },
        { name: 'amount', type: 'number' },
      ],
      indexes: ['create index moves_source on moves (source)', 'create index moves_target on moves (target)'],
      ...rules,
    });
    await admin('POST', '/api/collections', {
      name: 'entries',
      type: 'base',
      fields: [
        { name: 'account', ...toAccount },
        { name: 'text', type: 'text' },
      ],
      indexes: ['create index entries_account on entries (account)'],
      ...rules,
    });
    for (let from = 1; from <= accounts; from += 250) {
      const requests = Array.from({ length: 250 }, (_, n) => ({
        method: 'POST',
        url: '/api/collections/accounts/records',
        body: { id: `account${String(from + n).padStart(8, '0')}`, balance },
      }));
      await admin('POST', '/api/batch', { requests });
    }
    return server;
  },
};
