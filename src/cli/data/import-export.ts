/** `shelf import DIR`: brings back what `shelf export` has written. */
import type { Engine } from '../../storage/open.ts';
import { folderContents, promised } from '../../storage/transfer/folder/folder-contents.ts';
import { readManifest } from '../../storage/transfer/folder/manifest.ts';
import { mergeFrom } from '../../storage/transfer/merge.ts';
import { explained, openMerge, openTarget } from '../../storage/transfer/open-databases.ts';
import { transfer } from '../../storage/transfer/transfer.ts';
import { counted, recordAmount, sinceText } from '../text/amounts.ts';
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
  const { collections } = manifest;
  const record = collections.reduce((sum, { records }) => sum + records, 0);
  const ofDatabase = databaseOptions(engine, options);
  const { signal } = options;
  const steps = stepsOn(options.screen);
  const onStep = (step: string) => steps.begin(step, { record });

  async function merge(): Promise<number> {
    const target = await openMerge(engine, ofDatabase);
    const added = () => mergeFrom(folder, manifest, target, { onRows: steps.add, onStep, signal });
    return explained(ofDatabase.label, added).finally(() => close(target));
  }

  /** Replaces a database that is empty. */
  async function fill(): Promise<number> {
    const target = await openTarget(engine, { ...ofDatabase, ...ofImport });
    onStep('Importing');
    const filled = () =>
      transfer(folderContents(folder, manifest, target), target, {
        onRows: steps.add,
        onVerify: () => onStep('Checking'),
        expected: promised(manifest),
        signal,
      });
    await explained(ofDatabase.label, filled).finally(() => close(target));
    return record;
  }

  async function close(target: { close(): Promise<void> }): Promise<void> {
    steps.end();
    await target.close();
  }

  const added = await (merges ? merge() : fill());
  const rest = added === record ? '' : `; ${counted(record - added, 'record')} were there already`;
  return `Imported ${recordAmount(added, collections.length)} from ${folder} to ${ofDatabase.label} in ${sinceText(began)}${rest}.\n`;
}
