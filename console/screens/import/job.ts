/** Checks or imports a file, batch by batch. It goes on while other screens are open. */
import { signal } from '@preact/signals';
import type { Collection } from '../../api/declarations.ts';
import { messageOf } from '../../api/problem.ts';
import { type Batch, batchesOf } from './batches.ts';
import type { Plan } from './plan.ts';
import { Refused } from './refused.ts';
import { forget, type Progress, type Saved, type SavedRefusals, save } from './saved.ts';
import { type Refusal, sendBatch } from './send-batch.ts';
import type { Source } from './source.ts';

/** `stopped`: by a person, or by a failure that does not pass. */
export type JobState =
  | { readonly kind: 'running'; readonly waiting?: string }
  | { readonly kind: 'stopped'; readonly why: string; readonly isOtherFile: boolean }
  | { readonly kind: 'done' };

const nothing: Progress = { rows: 0, added: 0, present: 0, deleted: 0, share: 0, key: '' };

export class Job {
  readonly state = signal<JobState>({ kind: 'running' });
  readonly progress = signal<Progress>(nothing);
  readonly refused: Refused;
  /** For the rate: when this run began, and with how much. */
  begun: { readonly at: number; readonly from: Progress } = { at: performance.now(), from: nothing };
  /** The browser keeps nothing: a reload would lose the place. */
  readonly isKept = signal(true);
  #aborted = new AbortController();
  #run: Promise<void> = Promise.resolve();
  /** Rows of this run that an earlier one has sent. */
  #passed = 0;
  #pending: readonly Refusal[];
  /** The next batch may be in, although no answer has said so. */
  #mayBeSent: boolean;

  constructor(
    readonly source: Source,
    readonly plan: Plan,
    readonly collection: Collection,
    readonly isDry: boolean,
    earlier?: { readonly saved: Saved; readonly refusals: readonly SavedRefusals[] },
  ) {
    this.refused = new Refused(plan.layout);
    for (const { text, count, shown } of earlier?.refusals ?? []) this.refused.restore(text, count, shown);
    if (earlier !== undefined) this.progress.value = earlier.saved.progress;
    this.#pending = earlier?.saved.pending ?? [];
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
      for await (const batch of batchesOf(this.source, this.plan, this.collection)) {
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
  #pass({ entries, key }: Batch): void {
    this.#passed += entries.length;
    const { rows, key: last } = this.begun.from;
    if (this.#passed > rows || (this.#passed === rows && key !== last)) throw this.#unrecognised();
  }

  #unrecognised(): OtherFile {
    return new OtherFile(
      `This is another file, or it was changed within its first ${this.begun.from.rows.toLocaleString('en-US')} rows: they have another digest.`,
    );
  }

  async #send(batch: Batch): Promise<void> {
    const { isDry, plan } = this;
    const mayBeSent = this.#mayBeSent;
    // Until its answer is here.
    this.#mayBeSent = true;
    const sent = await sendBatch(batch, {
      collection: plan.collection,
      isDry,
      signal: this.#aborted.signal,
      known: this.#pending,
      mayBeSent,
      onRefused: async (all) => {
        this.#pending = all;
        await this.#keep(false);
      },
      onWait: (waiting) => {
        this.state.value = waiting === undefined ? { kind: 'running' } : { kind: 'running', waiting };
      },
    });
    this.#mayBeSent = false;
    this.#pending = [];
    const { rows, added, present, deleted } = this.progress.value;
    this.progress.value = {
      rows: rows + batch.entries.length,
      added: added + sent.added,
      present: present + sent.present,
      deleted: deleted + sent.deleted,
      share: batch.share,
      key: batch.key,
    };
    const shown = this.refused.shown.length;
    const text = this.refused.add(sent.refused);
    await this.#keep(false, { text, count: sent.refused.length, shown: this.refused.shown.slice(shown) });
  }

  async #keep(isDone: boolean, refusals?: SavedRefusals): Promise<void> {
    if (this.isDry) return;
    const { plan, source } = this;
    const saved: Saved = {
      plan,
      name: source.name,
      at: new Date().toISOString(),
      isDone,
      progress: this.progress.value,
      pending: this.#pending,
    };
    try {
      // Without refused rows there is nothing left to do.
      if (isDone && this.refused.count === 0) await forget(plan.collection);
      else await save(saved, refusals);
    } catch {
      this.isKept.value = false;
    }
  }
}

/** The file is not the one that the import was begun with. */
class OtherFile extends Error {
  override readonly name = 'OtherFile';
}
