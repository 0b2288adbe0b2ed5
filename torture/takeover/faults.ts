/** Faults of a takeover that its torture has to find. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildFaultyServer } from '../history/servers/faulty-server.ts';
import type { PlantedFault } from '../support/edited-source.ts';
import { type Run, sqliteArgs } from '../support/torture.ts';
import { runTakeovers } from './run.ts';

/** In files of `source`. */
export const takeoverFaults: Readonly<Record<string, PlantedFault>> = {
  'requests are not held': { 'generation.ts': [['this.entrance.hold(isHealthCheck);', '']] },
};
const source = 'src/cli/takeover';
const kinds = /running: (mixed|status|lost|feed|change): /;

/** The complaints about a server with this fault, in some changes without a kill. */
export async function takeoverViolations(
  name: string,
  fault: PlantedFault,
  tried: number,
  run: Run,
): Promise<string[]> {
  const folder = join(run.folder, `${name} ${tried}`);
  mkdirSync(folder);
  const path = join(folder, 'tortured.db');
  const { complaints } = await runTakeovers(
    { name: 'sqlite', database: `sqlite:${path}`, args: sqliteArgs(path, run) },
    {
      ...{ folder, changes: 4, killEvery: Number.POSITIVE_INFINITY, pauseMs: 0, say: () => {} },
      command: await buildFaultyServer(join(folder, 'server'), source, fault),
    },
  );
  return complaints.filter((one) => kinds.test(one));
}
