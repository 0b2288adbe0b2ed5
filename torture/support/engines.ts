/** Runs a torture on SQLite and, if it is available, on PostgreSQL. */
import { join } from 'node:path';
import { postgresBinaries } from '../../test/postgres/binaries.ts';
import { Cluster } from '../../test/postgres/cluster.ts';
import { type Judged, type Run, sqliteArgs } from './torture.ts';

export type EngineUnderTorture = {
  readonly name: 'sqlite' | 'postgres';
  readonly database: string;
  readonly args: readonly string[];
};

export async function onEngines(
  run: Run,
  judge: (engines: readonly EngineUnderTorture[]) => Promise<readonly Judged[]>,
): Promise<Judged> {
  const path = join(run.folder, 'tortured.db');
  const sqlite = { name: 'sqlite', database: `sqlite:${path}`, args: sqliteArgs(path, run) } as const;
  const binaries = postgresBinaries();
  if ('reason' in binaries) {
    run.say(`SKIPPED on PostgreSQL: ${binaries.reason}`);
    return merged(await judge([sqlite]));
  }
  const cluster = await new Cluster().start();
  try {
    const postgres = { name: 'postgres', database: cluster.url(), args: ['--database', cluster.url()] } as const;
    return merged(await judge([sqlite, postgres]));
  } finally {
    await cluster.remove();
  }
}

export async function inTurn(
  engines: readonly EngineUnderTorture[],
  judge: (engine: EngineUnderTorture) => Promise<Judged>,
): Promise<Judged[]> {
  const all: Judged[] = [];
  for (const engine of engines) all.push(await judge(engine));
  return all;
}

function merged(all: readonly Judged[]): Judged {
  return {
    figures: Object.assign({}, ...all.map(({ figures }) => figures)) as Judged['figures'],
    complaints: all.flatMap(({ complaints }) => complaints),
  };
}
