/** Migrates the database of a running server, on a thread of its own. */
import { declarationsOf } from '../../declarations/plan.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { startThread } from '../../threads/start.ts';
import { errorOf } from '../../threads/thrown.ts';
import type { SuccessionOptions } from '../succession.ts';
import { type MigrationNews, type MigrationOrder, verdicts } from './schema/migration-order.ts';

/** Rejects with the reason if nothing was changed. */
export async function migrateServed(
  filename: string,
  collections: readonly Collection[],
  { risks, allowed, onStep, beforeCommit }: Omit<SuccessionOptions, 'fileTag'>,
): Promise<void> {
  const worker = startThread('storage/sqlite/schema/migrating-thread');
  const verdict = new SharedArrayBuffer(4);
  const word = new Int32Array(verdict);
  const done = Promise.withResolvers<void>();
  /** Of `beforeCommit`. */
  let refusal: { readonly error: unknown } | undefined;

  function judge(): void {
    try {
      beforeCommit();
    } catch (error) {
      refusal = { error };
    }
    Atomics.store(word, 0, refusal === undefined ? verdicts.commit : verdicts.rollBack);
    Atomics.notify(word, 0);
  }

  worker.onmessage = ({ data }: MessageEvent<MigrationNews>) => {
    if ('step' in data) onStep(data.step);
    else if ('thrown' in data) done.reject(refusal === undefined ? errorOf(data.thrown) : refusal.error);
    else if (data.kind === 'done') done.resolve();
    else judge();
  };
  worker.onerror = ({ message }) => done.reject(new Error(`the migrating thread ended: ${message}`));
  worker.addEventListener('close', () => done.reject(new Error('the migrating thread ended')));
  worker.postMessage({
    filename,
    declarations: declarationsOf(collections),
    permission: { risks, allowed },
    verdict,
  } satisfies MigrationOrder);
  try {
    await done.promise;
  } finally {
    worker.terminate();
  }
}
