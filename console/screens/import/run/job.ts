/** Checks or imports a file, batch by batch. It goes on while other screens are open. */
import { signal } from '@preact/signals';
import type { Batch } from '../../../../src/import/cut-batches.ts';
import { mayBeIn } from '../../../../src/import/failure.ts';
import { type Persistence, persistently } from '../../../../src/import/retries.ts';
import type { RefusedRow } from '../../../../src/import/rows.ts';
import { countsWith, noCounts, sendRows } from '../../../../src/import/send-rows.ts';
import type { Collection } from '../../../api/declarations.ts';
import { messageOf } from '../../../api/problem.ts';
import { blobBatches } from '../blob-batches.ts';
import type { Plan } from '../plan.ts';
import type { Source } from '../source.ts';
import { failureOf, sendBulk } from './bulk.ts';
import { type RefusedRows, refusedRows } from './refused.ts';
import { type Earlier, forget, type Progress, type Saved, save } from './saved.ts';

/** `stopped`: by a person, or by a failure that does not pass. */
export type JobState =
  | { readonly kind: 'running'; readonly waiting?: string }
  | { readonly kind: 'stopped'; readonly why: string; readonly isOtherFile: boolean }
  | { readonly kind: 'done' };

const nothing: Progress = { ...noCounts, rows: 0, share: 0, key: '' };

export class Job {
  readonly state = signal<JobState>({ kind: 'running' });
  readonly progress = signal<Progress>(nothing);
  /** Those of each batch. */
  refused: readonly RefusedRows[];
  /** For the rate: when this run began, and with how much. */
  begun: { readonly at: number; readonly from: Progress } = { at: performance.now(), from: nothing };
  /** The browser keeps nothing: a reload would lose the place. */
  readonly isKept = signal(true);
  #aborted = new AbortController();
  #run: Promise<void> = Promise.resolve();
  /** Rows of this run that an earlier one has sent. */
  #passed = 0;
  #leftOut: readonly RefusedRow[];
  /** The next batch may be in, although no answer has said so: then it is this import that has added it. */
  #mayBeSent: boolean;

  constructor(
    readonly source: Source,
    readonly plan: Plan,
    readonly collection: Collection,
    readonly isDry: boolean,
    earlier?: Earlier,
  ) {
    this.refused = earlier?.refused ?? [];
    // A page of an earlier version has kept no number of updates.
    if (earlier !== undefined) this.progress.value = { ...nothing, ...earlier.saved.progress };
    this.#leftOut = earlier?.saved.leftOut ?? [];
    this.#mayBeSent = earlier !== undefined;
  }

  run(): Promise<void> {
    this.#run = this.#sendAll();
    return this.#run;
  }

  /** Resolves when nothing more is sent or kept. */
  stop(): Promise<void> {
    this.#aborted.abort();
    return this.#run;
  }

  async #sendAll(): Promise<void> {
    this.#aborted = new AbortController();
    this.begun = { at: performance.now(), from: this.progress.value };
    this.#passed = 0;
    this.state.value = { kind: 'running' };
    try {
      await this.#keep(false);
      for await (const batch of blobBatches(this.source, this.plan, this.collection)) {
        this.#aborted.signal.throwIfAborted();
        if (!this.#isBehind) await this.#send(batch);
        else this.#pass(batch);
      }
      if (this.#isBehind) throw this.#unrecognised();
      await this.#keep(true);
      this.state.value = { kind: 'done' };
    } catch (error) {
      const isOtherFile = error instanceof OtherFile;
      const why = this.#aborted.signal.aborted ? 'You stopped it.' : messageOf(error);
      this.state.value = { kind: 'stopped', why, isOtherFile };
    }
  }

  get #isBehind(): boolean {
    return this.#passed < this.begun.from.rows;
  }

  /** Throws OtherFile if the file is not the one that was begun with. */
  #pass(batch: Batch): void {
    this.#passed += rowsOf(batch);
    const { rows, key: last } = this.begun.from;
    if (this.#passed > rows || (this.#passed === rows && batch.key !== last)) throw this.#unrecognised();
  }

  #unrecognised(): OtherFile {
    return new OtherFile(
      `This is another file, or it was changed within its first ${this.begun.from.rows.toLocaleString('en-US')} rows: they have another digest.`,
    );
  }

  async #send(batch: Batch): Promise<void> {
    const { good, refused, key, share } = batch;
    const before = new Set(this.#leftOut.map(({ line }) => line));
    let isOwn = this.#mayBeSent;
    // Until its answer is here.
    this.#mayBeSent = true;
    const { signal } = this.#aborted;
    const { collection, key: recordKey } = this.plan;
    const order = { collection, key, recordKey, isDry: this.isDry, signal };
    const persistence: Persistence = {
      failureOf,
      // It does not give up: a person can.
      forMs: Number.POSITIVE_INFINITY,
      signal,
      onWait: (error) => {
        isOwn ||= mayBeIn(failureOf(error));
        this.state.value = { kind: 'running', waiting: messageOf(error) };
      },
    };
    const imported = await sendRows(
      good.filter(({ line }) => !before.has(line)),
      {
        failureOf,
        send: (rows) => persistently(() => sendBulk(rows, order), persistence),
        onRefused: async (rows) => {
          this.#leftOut = [...this.#leftOut, ...rows];
          await this.#keep(false);
        },
      },
    );
    this.state.value = { kind: 'running' };
    const all = [...refused, ...this.#leftOut].sort((one, other) => one.line - other.line);
    const written = refusedRows(all, this.plan.layout);
    if (all.length > 0) this.refused = [...this.refused, written];
    this.#mayBeSent = false;
    this.#leftOut = [];
    const { rows, ...counts } = this.progress.value;
    const { created = 0, updated = 0, earlier } = imported ?? {};
    const stored = { created, updated };
    this.progress.value = {
      ...countsWith(counts, earlier === undefined || isOwn ? stored : { ...stored, earlier }),
      rows: rows + rowsOf(batch),
      share: share ?? 1,
      key,
    };
    await this.#keep(false, written);
  }

  async #keep(isDone: boolean, refused?: RefusedRows): Promise<void> {
    if (this.isDry) return;
    const { plan, source } = this;
    const saved: Saved = {
      plan,
      name: source.name,
      at: new Date().toISOString(),
      isDone,
      progress: this.progress.value,
      leftOut: this.#leftOut,
    };
    try {
      // Without refused rows there is nothing left to do.
      if (isDone && this.refused.length === 0) await forget(plan.collection);
      else await save(saved, refused);
    } catch {
      this.isKept.value = false;
    }
  }
}

const rowsOf = ({ good, refused }: Batch) => good.length + refused.length;

/** The file is not the one that the import was begun with. */
class OtherFile extends Error {
  override readonly name = 'OtherFile';
}
