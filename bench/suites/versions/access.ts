/** npm run bench -- --access: the share of its throughput that Shelf keeps for a caller with a role, beside one with a scope and the same filter. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/support/servers/network/free-port.ts';
import { runShelf } from '../../../test/support/servers/process.ts';
import type { Script } from '../../measure/load.ts';
import type { Plan } from '../../measure/two-servers.ts';
import type { Work } from '../../measure/work.ts';
import { newFolder, type Peer } from '../../servers/launch.ts';
import { startShelfOn } from '../../servers/shelf.ts';
import { comparePeers, type Judged, judged } from './against.ts';

/** The lowest accepted ratios of throughput. A single record is judged by its text, which the one of a scope is not. */
const floors = { page: 0.7, one: 0.5 };

const members = 100;
const loansOfMember = 100;
const where = { member: '$caller.member_id' };
const file = {
  roles: { whole: { from: { claim: 'member_id' } }, part: { from: { claim: 'member_id' } } },
  collections: {
    loans: {
      singular: 'loan',
      fields: { member: 'integer', title: 'text', due_on: 'date', fine: { type: 'decimal', scale: 2 } },
      indexes: ['member'],
      access: { whole: { read: { where } }, part: { read: { where, fields: ['member', 'title', 'due_on'] } } },
    },
  },
  settings: { auth: 'all' },
};

type Made = {
  readonly database: string;
  readonly flags: readonly string[];
  readonly keys: Readonly<Record<string, string>>;
};

/** A database with loans, and a key for each caller: every start gets a copy of it. */
async function makeDatabase(folder: string): Promise<Made> {
  const [config, database] = [join(folder, 'access.json'), join(folder, 'access.db')];
  writeFileSync(config, JSON.stringify(file));
  const flags = ['--config', config];
  const keyOf = async (name: string, ...grant: string[]) => {
    const args = ['keys', 'create', '--name', name, ...grant, ...flags, '--database', `sqlite:${database}`];
    return (await runShelf({ args })).stdout.trim();
  };
  await runShelf({ args: ['migrate', ...flags, '--database', `sqlite:${database}`] });
  const keys: Record<string, string> = {
    writer: await keyOf('writer', '--scope', 'write'),
    scope: await keyOf('reader', '--scope', 'read'),
  };
  for (const role of ['whole', 'part']) keys[role] = await keyOf(role, '--role', role, '--claim', 'member_id=7');
  const server = await startShelfOn(database, freePort(), flags);
  const loan = (n: number) => ({ member: n % members, title: `Loan number ${n}`, due_on: '2026-01-01', fine: '1.50' });
  const body = Array.from({ length: members * loansOfMember }, (_, n) => JSON.stringify(loan(n))).join('\n');
  const headers = { Authorization: `Bearer ${keys.writer}` };
  const stored = await fetch(`${server.base}/api/v2/loans/bulk`, { method: 'POST', headers, body });
  if (!stored.ok) throw new Error(`the loans were not stored: ${await stored.text()}`);
  await server.stop();
  return { database, flags, keys };
}

const scripts: Readonly<Record<string, (caller: string, key: string) => Script>> = {
  page: (caller, key) => ({
    name: `page-${caller}`,
    path: `/api/v2/loans?limit=30${caller === 'scope' ? '&member=7' : ''}`,
    lua: `wrk.headers["Authorization"] = "Bearer ${key}"`,
  }),
  one: (caller, key) => ({
    name: `one-${caller}`,
    path: '/api/v2/loans/8',
    lua: `wrk.headers["Authorization"] = "Bearer ${key}"
request = function() return wrk.format("GET", "/api/v2/loans/" .. (math.random(${loansOfMember}) - 1) * ${members} + 8) end`,
  }),
};

/** The first of two peers acts in a role, and the other one with a scope. */
export async function accessBench(plan: Plan, folder: string, say: (text: string) => void): Promise<Judged[]> {
  const { database, flags, keys } = await makeDatabase(folder);
  const peer = (name: string): Peer => ({
    name,
    keeps: 'disk',
    setUp: () => undefined,
    start: (port) => {
      const path = join(newFolder(), 'access.db');
      cpSync(database, path);
      return startShelfOn(path, port, flags);
    },
  });
  const all: Judged[] = [];
  for (const role of ['whole', 'part']) {
    const shows = role === 'whole' ? 'all fields visible' : 'a hidden field';
    const work = (name: string, title: string): Work => ({
      name: `${name}-${role}`,
      title: `${title}, ${shows}`,
      script: (one) => scripts[name]?.(one.name, keys[one.name] ?? ''),
      floors: {},
    });
    const works = [
      { ...work('page', 'A page of 30 by an indexed rule'), floor: floors.page },
      { ...work('one', 'GET one record'), floor: floors.one },
    ];
    for (const one of works)
      all.push(...judged(await comparePeers([peer(role), peer('scope')], [one], plan, folder, say), one.floor));
  }
  return all;
}
