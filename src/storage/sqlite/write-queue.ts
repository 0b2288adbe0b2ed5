/** The queue of a serving thread before the writing thread, which commits batches and also shows them in memory. */

import { Failure } from '../../domain/errors.ts';
import { bulkClashFailure, clashFailure } from '../../domain/store/constraint-clash.ts';
import { operationFailure } from '../../domain/store/operation-failure.ts';
import type { Trace } from '../../domain/trace.ts';
import { placeAmongAll } from '../bulk/spool.ts';
import { type CommitObserver, CommitQueue } from '../commit-queue.ts';
import { isDamageMessage } from './errors.ts';
import type { FileReads } from './reads/file-reads.ts';
import type { WriterClient } from './writer/thread/connection.ts';
import {
  type BulkClashed,
  type Clashed,
  type Failed,
  type FailedOperation,
  isBulkClashed,
  isClashed,
  isFailed,
  isFailedOperation,
  isRefused,
  type Outcome,
  type Refused,
} from './writer/thread/outcome.ts';
import { sizeOf, type Write } from './writer/thread/write-message.ts';

/** A write that is committed, or changes nothing. */
type Done = {
  readonly outcome: Exclude<Outcome, Refused | Failed | Clashed | BulkClashed | FailedOperation>;
  readonly at: string;
};

export class WriteQueue {
  readonly #queue: CommitQueue<Write, Done>;

  constructor(
    readonly writer: WriterClient,
    readonly file: FileReads,
    onCommit: CommitObserver | undefined,
  ) {
    this.#queue = new CommitQueue<Write, Done>((writes) => this.#commit(writes), sizeOf, onCommit);
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Waits for the writes in the queue. */
  end(): Promise<void> {
    return this.#queue.end();
  }

  /** Rejects if the write is refused, because of the disk or of other records. */
  submit(write: Write, trace?: Trace): Promise<Done> {
    return this.#queue.submit(write, trace);
  }

  async #commit(writes: readonly Write[]): Promise<(Done | Error)[]> {
    const { file, writer } = this;
    if (file.damage !== undefined) throw refusal({ refused: 'unavailable', cause: file.damage });
    const { outcomes, at, walBytes, lost } = await writer.commit(writes).catch((cause) => {
      throw cause instanceof Failure ? cause : refusal({ refused: 'unavailable', cause: String(cause) });
    });
    file.noticed({ walBytes, lost });
    return outcomes.map((outcome) => this.#answer(outcome, at, lost));
  }

  #answer(outcome: Outcome, at: string, lost: string | undefined): Done | Error {
    // Most writes are additions.
    if (typeof outcome === 'number' && lost === undefined) return { outcome, at };
    if (isRefused(outcome)) {
      if (isDamageMessage(outcome.cause)) this.file.isDamaged(outcome.cause);
      return refusal(outcome);
    }
    if (lost !== undefined) return refusal({ refused: 'unknown', cause: lost });
    if (isClashed(outcome)) return clashFailure(outcome.clashes);
    if (isBulkClashed(outcome)) {
      const { bulkClashes, added, without } = outcome;
      const places = new Map(added);
      const placeOf = (place: number) => placeAmongAll(place, without);
      return bulkClashFailure(bulkClashes, (recordId) => places.get(recordId), placeOf);
    }
    if (isFailedOperation(outcome)) return operationFailure(outcome.operation, outcome.fault);
    if (isFailed(outcome)) return new Error(outcome.failed);
    return { outcome, at };
  }
}

function refusal({ refused, cause }: Refused): Failure {
  return new Failure(refused === 'unknown' ? 'outcome_unknown' : 'storage_unavailable', { cause: new Error(cause) });
}
