/** Migrates a database that is served: a long migration delays no thread that serves. It commits when the main thread says so. */
import { Failure } from '../../../domain/errors.ts';
import { collection } from '../../../domain/record/collection.ts';
import { thrownBy } from '../../../threads/thrown.ts';
import { isFull } from '../errors.ts';
import { bring } from '../server-run.ts';
import { connect } from '../statements/connection.ts';
import { type MigrationNews, type MigrationOrder, verdicts } from './migration-order.ts';

declare const self: Worker;

const fullDisk = 'The disk is full, so nothing was changed: make room, and retry.';

class RolledBack extends Error {}

self.onmessage = ({ data: { filename, declarations, permission, verdict } }: MessageEvent<MigrationOrder>) => {
  const tell = (news: MigrationNews) => self.postMessage(news);
  const word = new Int32Array(verdict);
  try {
    const collections = Object.entries(declarations).map(([name, declaration]) => collection(name, declaration));
    using db = connect(filename);
    db.transaction(() => {
      bring(db, collections, filename, { ...permission, onStep: (step) => tell({ step }) });
      tell({ kind: 'ready to commit' });
      Atomics.wait(word, 0, verdicts.none);
      if (Atomics.load(word, 0) === verdicts.rollBack) throw new RolledBack();
    }).immediate();
    tell({ kind: 'done' });
  } catch (error) {
    // The transaction is rolled back.
    const thrown = isFull(error) ? new Failure('storage_unavailable', { detail: fullDisk, cause: error }) : error;
    tell({ thrown: thrownBy(thrown) });
  }
};
