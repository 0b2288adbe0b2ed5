/** `shelf restore`: the way back from `shelf backup`. */
import { resolve } from 'node:path';
import { StartError } from '../../domain/errors.ts';
import type { Engine } from '../../storage/open.ts';
import { explained } from '../../storage/transfer/open-databases.ts';
import { restoreFile } from '../../storage/transfer/sqlite/restore-file.ts';
import { recordAmount, sinceText } from '../text/amounts.ts';
import { databaseLabel } from '../text/database-label.ts';
import type { DataOptions } from './options.ts';
import { progressOn } from './progress.ts';

/** Returns the line that says what was done. */
export async function restore(engine: Engine, from: string, options: DataOptions): Promise<string> {
  if (engine.kind !== 'sqlite')
    throw new StartError(
      'restore supports only SQLite: use pg_restore or psql for PostgreSQL; memory: stores nothing.',
    );
  const began = performance.now();
  const { collections: declared, screen, signal } = options;
  const label = databaseLabel(engine);
  const copying = progressOn(screen, 'Copying', 'record');
  try {
    const { records, collections, kept } = await explained(label, () =>
      restoreFile(from, resolve(engine.path), {
        declared,
        onCopied: copying.at,
        onCheck: () => copying.end(),
        signal,
      }),
    );
    const before = kept === undefined ? 'there was none before' : `the database from before is ${kept}`;
    return `Restored ${recordAmount(records, collections)} from ${from} to ${label} in ${sinceText(began)}; ${before}.\n`;
  } finally {
    copying.end();
  }
}
