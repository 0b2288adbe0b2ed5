/** `shelf migrate`: creates the database, or changes its tables to the declared collections. */
import { existsSync } from 'node:fs';
import { type Permission, planText, requirePermitted } from '../../declarations/refusal.ts';
import { openEngine, planEngine } from '../../storage/open.ts';
import type { Command } from '../config/config.ts';
import { backup, backupName } from '../data/backup.ts';
import { databaseLabel } from '../text/database-label.ts';

/** Run by a role that may change tables, so that the role of the server need not. */
export async function migrate(
  { config, collections, order }: Extract<Command, { kind: 'migrate' }>,
  version: string,
  onWaiting: (line: string) => void,
): Promise<void> {
  const { url: engine } = config.database;
  const options = { ...config, onWaiting };
  const permission: Permission = { risks: ['none', 'check'], allowed: order.allowed };
  const plan = await planEngine(engine, collections, options, order.isPlan);
  if (order.isPlan) {
    process.stdout.write(planText(plan));
    return;
  }
  const { changes } = plan;
  const steps = changes.flatMap((change) => change.steps);
  const unknown = order.allowed.filter((one) => !steps.some(({ allow }) => allow === one));
  for (const one of unknown) process.stdout.write(`${one} is not in the plan.\n`);
  // Before the backup: nothing is done, so there is nothing to go back from.
  requirePermitted(changes, permission);
  if (engine.kind === 'sqlite' && steps.some(({ risk }) => risk === 'loss') && existsSync(engine.path)) {
    process.stdout.write(`Backup: ${backup(engine, backupName(engine.path), collections)}`);
  }
  // Creates the database even with --database-must-exist: this command is how it is created.
  const store = openEngine(engine, collections, {
    ...options,
    database: { ...config.database, mustExist: false },
    permission,
    onStep: (text) => process.stdout.write(`${text}\n`),
  });
  try {
    await store.admin.ready;
    process.stdout.write(`The database ${databaseLabel(engine)} is ready for Shelf ${version}.\n`);
  } finally {
    await store.admin.close();
  }
}
