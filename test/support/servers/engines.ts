/** The engines that a suite runs on; each function returns the URL of a new database. */
import { join } from 'node:path';
import { migratedDatabase, newDatabase, postgresUrl } from '../../postgres/database.ts';
import { temporaryFolder } from '../data/folder.ts';

export type EngineUnderTest = readonly [name: string, newUrl: () => string | Promise<string>];

const postgres = (newUrl: () => Promise<string>): readonly EngineUnderTest[] =>
  postgresUrl === undefined ? [] : [['postgres', newUrl]];

/** Memory, because it is the fastest to create, and PostgreSQL, with the tables of the contract. */
export const quickEngines: readonly EngineUnderTest[] = [['memory', () => 'memory:'], ...postgres(migratedDatabase)];

/** The same, with empty databases. */
export const emptyEngines: readonly EngineUnderTest[] = [['memory', () => 'memory:'], ...postgres(newDatabase)];

/** The engines whose data survives a restart. The databases are empty. */
export const lastingEngines = () => lasting(newDatabase);

/** The same, for a suite that does not test how a database is created: on PostgreSQL with the tables of the contract. */
export const migratedEngines = () => lasting(migratedDatabase);

/** The engine that several servers share. */
export const sharedEngines = postgres(migratedDatabase);

function lasting(newPostgres: () => Promise<string>): readonly EngineUnderTest[] {
  const folder = temporaryFolder();
  let made = 0;
  return [['sqlite', () => `sqlite:${join(folder, `${made++}.db`)}`], ...postgres(newPostgres)];
}
