/** What a failing disk leaves behind, and has to be put right before the next commit. */
import type { Database } from 'bun:sqlite';
import { diskError, isFull, leavesDoubt } from '../errors.ts';
import type { Refused } from './thread/outcome.ts';

export class DiskFaults {
  /** A commit failed, but may be complete in the WAL. */
  #isDoubtful = false;
  /** A write failed because the disk was full. */
  #wasFull = false;

  constructor(
    readonly db: Database,
    readonly clock: () => string,
  ) {}

  /**
   * After a failed sync the commit stays in the WAL, invisible, and the next start would replay it. The next commit
   * overwrites it: once that one is synced, the failed one is certainly gone. Throws if the disk still fails.
   */
  settle(): void {
    if (!this.#isDoubtful) return;
    this.db.run("insert or replace into settings values ('settled', ?)", [this.clock()]);
    this.#isDoubtful = false;
  }

  /**
   * Checkpoints before the WAL takes the space that has become free: on a disk that the WAL has filled, neither it nor the file could
   * grow again. Throws if the disk is still full.
   */
  emptyLog(): void {
    if (!this.#wasFull) return;
    this.db.run('pragma wal_checkpoint(passive)');
    this.#wasFull = false;
  }

  /** The outcome of all writes if the disk failed; undefined if one write failed, and the others can be retried. */
  refusal(error: unknown): Refused | undefined {
    const cause = diskError(error);
    if (cause === undefined) return undefined;
    if (isFull(error)) this.#wasFull = true;
    if (!leavesDoubt(error)) return { refused: 'unavailable', cause };
    this.#isDoubtful = true;
    try {
      this.settle();
      return { refused: 'unavailable', cause };
    } catch {
      return { refused: 'unknown', cause };
    }
  }
}
