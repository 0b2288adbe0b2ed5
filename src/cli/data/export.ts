/** `shelf export`: writes every collection to a folder, also while a server is running. */
import { StartError } from '../../domain/errors.ts';
import type { Engine } from '../../storage/open.ts';
import { exportTo, requireNewFolder } from '../../storage/transfer/folder/export-folder.ts';
import { explained, openSource } from '../../storage/transfer/open-databases.ts';
import { recordAmount, sinceText } from '../text/amounts.ts';
import { databaseLabel } from '../text/database-label.ts';
import { type DataOptions, databaseOptions } from './options.ts';
import { stepsOn } from './steps.ts';

/** Returns the line that says what was done. */
export async function exportDatabase(engine: Engine, folder: string, options: DataOptions): Promise<string> {
  const began = performance.now();
  const { version, signal, screen } = options;
  requireFolder(folder);
  const source = await openSource(engine, databaseOptions(engine, options), false);
  const at = new Date().toISOString();
  const steps = stepsOn(screen);
  try {
    steps.begin('Exporting', { record: source.outline.parts.reduce((sum, { records }) => sum + records, 0) });
    const exported = await explained(folder, () =>
      exportTo(folder, source, { version, at, onRows: steps.add, signal }),
    );
    const records = exported.reduce((sum, one) => sum + one.records, 0);
    return `Exported ${recordAmount(records, exported.length)} from ${databaseLabel(engine)} to ${folder} in ${sinceText(began)}.\n`;
  } finally {
    steps.end();
    await source.close();
  }
}

/** Before the database is read. */
function requireFolder(folder: string): void {
  try {
    requireNewFolder(folder);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`Cannot export to ${folder} (${(error as Error).message}): choose a new folder.`);
  }
}
