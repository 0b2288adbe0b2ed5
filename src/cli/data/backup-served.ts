/** The verified copy before values are lost, of a database that is served. */
import { declarationsOf } from '../../declarations/plan.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Engine } from '../../storage/open.ts';
import { startThread } from '../../threads/start.ts';
import { errorOf } from '../../threads/thrown.ts';
import { backupName } from './backup.ts';
import type { BackupAnswer, BackupOrder } from './backup-thread.ts';

/** Resolves with the path of the copy. Rejects with a StartError. */
export async function backUpServed(
  engine: Extract<Engine, { kind: 'sqlite' }>,
  collections: readonly Collection[],
): Promise<string> {
  const worker = startThread('cli/data/backup-thread');
  const to = backupName(engine.path);
  const answer = Promise.withResolvers<BackupAnswer>();
  worker.onmessage = ({ data }: MessageEvent<BackupAnswer>) => answer.resolve(data);
  worker.onerror = ({ message }) => answer.reject(new Error(`the copying thread ended: ${message}`));
  worker.addEventListener('close', () => answer.reject(new Error('the copying thread ended')));
  worker.postMessage({ engine, to, declarations: declarationsOf(collections) } satisfies BackupOrder);
  try {
    const { thrown } = await answer.promise;
    if (thrown !== undefined) throw errorOf(thrown);
    return to;
  } finally {
    worker.terminate();
  }
}
