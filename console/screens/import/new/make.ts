/** Makes the collection, and imports the rows into it. */
import { effect } from '@preact/signals';
import { ShelfError } from '../../../api/problem.ts';
import { addCollection } from '../../../schema/file/collection-edits.ts';
import { applySettings, readSettings, type Settings } from '../../../schema/settings.ts';
import { address, go, hrefOf } from '../../../state/address.ts';
import { readAgain, session } from '../../../state/session.ts';
import { Job } from '../run/job.ts';
import { dismiss, start } from '../run/jobs.ts';
import { declarationOf, type Proposed, planOf } from './proposed.ts';

const here = ['-', 'import'] as const;

/** Throws a ShelfError; nothing is changed then. */
export async function make(proposed: Proposed, base: Settings): Promise<void> {
  await declare(proposed, base);
  await readAgain();
  const { name, source } = proposed;
  const current = session.value;
  const collection = current.kind === 'open' ? current.collections.find((one) => one.name === name) : undefined;
  if (collection === undefined) throw new Error(`The collection ${name} is made, but this key may not read it.`);
  const job = new Job(source, planOf(proposed), collection, false);
  start(job);
  go(hrefOf(here, `collection=${name}`), 'replace');
  showWhenDone(job, name);
}

/** What others have changed in the file meanwhile stays: one more collection is added to it. */
async function declare(proposed: Proposed, base: Settings): Promise<void> {
  const withIt = ({ text }: Settings) => addCollection(text, declarationOf(proposed));
  try {
    await applySettings(withIt(base), [], base.etag);
  } catch (error) {
    if (!(error instanceof ShelfError) || error.status !== 412) throw error;
    const theirs = await readSettings();
    await applySettings(withIt(theirs), [], theirs.etag);
  }
}

/** The table, unless rows were refused, or the person has gone elsewhere. */
function showWhenDone(job: Job, name: string): void {
  const end = effect(() => {
    const { kind } = job.state.value;
    if (kind === 'running') return;
    queueMicrotask(() => end());
    if (kind !== 'done' || job.refused.length > 0) return;
    if (address.peek().path.join() !== here.join()) return;
    dismiss(name);
    go(hrefOf([name]), 'replace');
  });
}
