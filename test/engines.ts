/** The engines that a suite runs on; each function returns the URL of a new database. */
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';
import { newDatabase, postgresUrl } from './postgres/database.ts';

export type EngineUnderTest = readonly [name: string, newUrl: () => string | Promise<string>];

const postgres: readonly EngineUnderTest[] = postgresUrl === undefined ? [] : [['postgres', newDatabase]];

/** Memory, because it is the fastest to create, and PostgreSQL. */
export const quickEngines: readonly EngineUnderTest[] = [['memory', () => 'memory:'], ...postgres];

/** The engines whose data survives a restart. */
export function lastingEngines(): readonly EngineUnderTest[] {
  const folder = temporaryFolder();
  let made = 0;
  return [['sqlite', () => `sqlite:${join(folder, `${made++}.db`)}`], ...postgres];
}
