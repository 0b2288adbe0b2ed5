/** The engines that one suite runs over; each answers the URL of a new database. */
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';
import { newDatabase, postgresUrl } from './postgres/database.ts';

export type EngineUnderTest = readonly [name: string, newUrl: () => string | Promise<string>];

const postgres: readonly EngineUnderTest[] = postgresUrl === undefined ? [] : [['postgres', newDatabase]];

/** What is kept in memory, which is the fastest to make, and PostgreSQL. */
export const quickEngines: readonly EngineUnderTest[] = [['memory', () => 'memory:'], ...postgres];

/** What survives a restart. */
export function lastingEngines(): readonly EngineUnderTest[] {
  const folder = temporaryFolder();
  let made = 0;
  return [['sqlite', () => `sqlite:${join(folder, `${made++}.db`)}`], ...postgres];
}
