/** `shelf move`: copies a database to another one, also of the other engine, and checks that both are the same. */
import type { Engine } from '../../storage/open.ts';
import { apiKeysTable, changesTable, idempotencyKeysTable, ownTables } from '../../storage/transfer/contents.ts';
import type { Tallies } from '../../storage/transfer/digest.ts';
import { explained, openSource, openTarget } from '../../storage/transfer/open-databases.ts';
import { transfer } from '../../storage/transfer/transfer.ts';
import { UsageError } from '../config/environment.ts';
import { counted, listed, recordAmount, sinceText } from '../text/amounts.ts';
import { databaseLabel } from '../text/database-label.ts';
import { type DataOptions, databaseOptions } from './options.ts';
import { stepsOn } from './steps.ts';

const ofMove = { keepsApiKeys: false, advice: 'choose a new one' };

/** Returns the line that says what was done. */
export async function move(from: Engine, to: Engine, options: DataOptions): Promise<string> {
  const began = performance.now();
  const [source, target] = [databaseLabel(from), databaseLabel(to)];
  if (source === target) throw new UsageError(`--from and --to are both ${source}: choose another target.`);
  const contents = await openSource(from, databaseOptions(from, options), true);
  try {
    const { parts, changes } = contents.outline;
    const totals = { record: parts.reduce((sum, { records }) => sum + records, 0), change: changes.kept };
    const steps = stepsOn(options.screen);
    const filled = await openTarget(to, { ...databaseOptions(to, options), ...ofMove });
    try {
      steps.begin('Copying', totals);
      const tallies = await explained(target, () =>
        transfer(contents, filled, {
          onRows: steps.add,
          onVerify: () => steps.begin('Checking', totals),
          signal: options.signal,
        }),
      );
      return `Moved ${amounts(tallies)} from ${source} to ${target} in ${sinceText(began)}; counts and digests agree.\n`;
    } finally {
      steps.end();
      await filled.close();
    }
  } finally {
    await contents.close();
  }
}

function amounts(tallies: Tallies): string {
  const count = (name: string) => tallies.get(name)?.count ?? 0;
  const names = [...tallies.keys()].filter((name) => ownTables.every(({ title }) => title !== name));
  const records = names.reduce((sum, name) => sum + count(name), 0);
  return listed([
    recordAmount(records, names.length),
    counted(count(changesTable.title), 'change'),
    counted(count(apiKeysTable.title), 'API key'),
    counted(count(idempotencyKeysTable.title), 'idempotency key'),
  ]);
}
