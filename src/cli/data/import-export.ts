/** `shelf import DIR`: brings back what `shelf export` has written. */
import type { Engine } from '../../storage/open.ts';
import { folderContents, promised } from '../../storage/transfer/folder/folder-contents.ts';
import { type Manifest, readManifest } from '../../storage/transfer/folder/manifest.ts';
import { mergeFrom } from '../../storage/transfer/merge.ts';
import { explained, openMerge, openTarget } from '../../storage/transfer/open-databases.ts';
import { transfer } from '../../storage/transfer/transfer.ts';
import { counted, sinceText } from '../text/amounts.ts';
import { databaseLabel } from '../text/database-label.ts';
import { type DataOptions, databaseOptions } from './options.ts';
import { stepsOn } from './steps.ts';

const ofImport = { keepsApiKeys: true, advice: 'choose a new one, or add what it lacks with --merge' };

/** Returns the line that says what was done. */
export async function importExport(
  engine: Engine,
  folder: string,
  merges: boolean,
  options: DataOptions,
): Promise<string> {
  const began = performance.now();
  const manifest = readManifest(folder);
  const records = manifest.collections.reduce((sum, one) => sum + one.records, 0);
  const added = merges ? await merge(engine, folder, manifest, options) : await fill(engine, folder, manifest, options);
  const amount = `${counted(added, 'record')} of ${counted(manifest.collections.length, 'collection')}`;
  const rest = added === records ? '' : `; ${counted(records - added, 'record')} were there already`;
  return `Imported ${amount} from ${folder} to ${databaseLabel(engine)} in ${sinceText(began)}${rest}.\n`;
}

/** Replaces a database that is empty. */
async function fill(engine: Engine, folder: string, manifest: Manifest, options: DataOptions): Promise<number> {
  const { screen, signal } = options;
  const records = manifest.collections.reduce((sum, one) => sum + one.records, 0);
  const target = await openTarget(engine, { ...databaseOptions(engine, options), ...ofImport });
  const steps = stepsOn(screen);
  try {
    steps.begin('Importing', { record: records });
    await explained(databaseLabel(engine), () =>
      transfer(folderContents(folder, manifest, target), target, {
        onRows: steps.add,
        onVerify: () => steps.begin('Checking', { record: records }),
        expected: promised(manifest),
        signal,
      }),
    );
    return records;
  } finally {
    steps.end();
    await target.close();
  }
}

async function merge(engine: Engine, folder: string, manifest: Manifest, options: DataOptions): Promise<number> {
  const { screen, signal } = options;
  const records = manifest.collections.reduce((sum, one) => sum + one.records, 0);
  const target = await openMerge(engine, databaseOptions(engine, options));
  const steps = stepsOn(screen);
  try {
    const onStep = (step: string) => steps.begin(step, { record: records });
    return await explained(databaseLabel(engine), () =>
      mergeFrom(folder, manifest, target, { onRows: steps.add, onStep, signal }),
    );
  } finally {
    steps.end();
    await target.close();
  }
}
