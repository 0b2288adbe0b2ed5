/** The services that are compared on each engine: as they run in production, on SQLite with two serving threads, on PostgreSQL with two instances. */
import { join } from 'node:path';
import { newDatabase, postgresUrl } from '../../test/postgres/database.ts';
import { privateLibrary, privateRules } from '../../test/support/data/private-library.ts';
import { startRoleServer } from '../../test/support/servers/role-server.ts';
import { type RoleService, startRoleService } from '../../test/support/servers/role-service.ts';
import { defaultThreads } from '../support/torture.ts';

export type StartService = () => Promise<RoleService>;

const library = { collections: privateLibrary, rules: privateRules };

export const onMemory: StartService = () => startRoleServer(privateLibrary, privateRules);

/** Each service has a file of its own in the folder. */
export function onSqlite(folder: string, threads: number): StartService {
  let made = 0;
  return () =>
    startRoleService({ ...library, database: `sqlite:${join(folder, `${made++}.db`)}`, instances: 1, threads });
}

/** Each service has a database of its own on the server. */
export function onPostgres(server: string): StartService {
  return async () => startRoleService({ ...library, database: await newDatabase(server), instances: 2, threads: 1 });
}

/** For tests: those of this machine. */
export function everyService(folder: string): readonly (readonly [engine: string, start: StartService])[] {
  return [
    ['memory', onMemory],
    ['sqlite', onSqlite(folder, defaultThreads)],
    ...(postgresUrl === undefined ? [] : [['postgres', onPostgres(postgresUrl)] as const]),
  ];
}
