/** Names a database in messages. */
import { resolve } from 'node:path';
import type { Engine } from '../../storage/open.ts';
import { addressOf, serversOf } from '../../storage/postgres/connect/servers.ts';

/** The database as shown to the operator, without its password. */
export function databaseLabel(engine: Engine): string {
  if (engine.kind === 'memory') return 'memory (nothing is stored)';
  if (engine.kind === 'sqlite') return resolve(engine.path);
  const servers = serversOf(engine.url);
  const { protocol, username, pathname } = new URL(servers[0] ?? '');
  return `${protocol}//${username === '' ? '' : `${username}@`}${servers.map(addressOf).join(',')}${pathname}`;
}
