/** Adds a file batch by batch. A second run of the same import goes on where the first one stopped. */
import { StartError } from '../../domain/errors.ts';
import type { Imported } from '../../domain/store/bulk.ts';
import type { Batch } from '../../import/cut-batches.ts';
import { mayBeIn } from '../../import/failure.ts';
import type { GoodRow } from '../../import/rows.ts';
import { sendRows } from '../../import/send-rows.ts';
import { counted } from '../text/amounts.ts';
import { forgetBatches } from './again.ts';
import { Rejects } from './rejects.ts';
import { BadRows, type Done, Interrupted, type Run, Stopped, unlessStopped, whyOf } from './stopped-import.ts';
import { Summary } from './summary.ts';
import { addRows, failureOf, type TargetBulk } from './target/import-target.ts';

/** `rejects` is the path of the file for refused rows. Throws Stopped, or a StartError before anything is sent. */
export async function importInBatches(run: Run, rejects: string | undefined): Promise<Done> {
  const file = rejects === undefined ? undefined : await Rejects.open(rejects);
  const sender = new Sender(run, file);
  try {
    if (run.isAgain) await forgetBatches(run);
    await sender.sendAll();
    await file?.finish();
  } catch (error) {
    await file?.rollBack();
    throw stopped(error, sender, run);
  } finally {
    await file?.close();
  }
  const { summary } = sender;
  const refused = Math.max(file?.count ?? 0, summary.refusedBefore);
  const text = summary.text(file && { path: file.path, count: file.count });
  return { line: `Imported ${run.name} into ${run.into}: ${text}`, code: refused > 0 ? 1 : 0 };
}

class Sender {
  /** Rows of batches that are in, or refused. */
  rows = 0;
  readonly summary: Summary;
  /** The line up to which all rows are in, or refused. */
  lastLine = 0;
  #isFirst = true;

  constructor(
    readonly run: Run,
    readonly rejects: Rejects | undefined,
  ) {
    this.summary = new Summary(run.target.key !== undefined);
  }

  /** While a batch is committed, the next one is read and made ready. */
  async sendAll(): Promise<void> {
    const { batches, signal } = this.run;
    let sending = Promise.resolve();
    try {
      for await (const batch of unlessStopped(batches(), signal)) {
        const bulk = this.#fill(batch.good);
        // It is awaited after the batch before this one is in.
        bulk.catch(() => {});
        try {
          await sending;
          this.#requireUsable(batch);
        } catch (error) {
          await closed(bulk);
          throw error;
        }
        sending = this.#send(batch, bulk);
        // It is awaited after the next batch is read.
        sending.catch(() => {});
      }
    } finally {
      await sending;
    }
  }

  /** Throws if the import cannot go on with this batch. */
  #requireUsable({ refused }: Batch): void {
    const bad = this.rejects === undefined ? refused : refused.filter(({ isFinal }) => isFinal);
    if (bad.length > 0) throw new BadRows(bad);
  }

  /** `filled` has the good rows of the batch, and is closed here. */
  async #send(batch: Batch, filled: Promise<TargetBulk>): Promise<void> {
    const { rejects } = this;
    const { progress } = this.run;
    let bulk: Promise<TargetBulk> | undefined = filled;
    try {
      if (this.#isFirst) await rejects?.begin(batch.layout, batch.key.slice(-8));
      this.#isFirst = false;
      await rejects?.beginBatch(batch.line, batch.refused);
      const imported = await sendRows(batch.good, {
        failureOf,
        send: async (good) => {
          bulk ??= this.#fill(good);
          return this.#commit(await bulk, batch.key, good.length);
        },
        onRefused: async (refused) => {
          if (rejects === undefined) throw new BadRows(refused);
          await rejects.addToBatch(refused);
          await closed(bulk);
          bulk = undefined;
        },
      });
      await rejects?.endBatch(
        imported === undefined ? 'nothing' : imported.earlier === undefined ? 'added' : 'present',
      );
      if (imported !== undefined) this.summary.add(imported, batch.good.length);
    } finally {
      await closed(bulk);
    }
    this.rows += batch.good.length + batch.refused.length;
    this.lastLine = lastLineOf(batch);
    const { share } = batch;
    progress.at(this.rows, share === undefined ? undefined : { share }, this.summary.stored);
  }

  async #fill(good: GoodRow[]): Promise<TargetBulk> {
    const { target, patiently } = this.run;
    const bulk = await patiently(() => target.bulk(false));
    try {
      await addRows(bulk, good);
      // Rows that are in the bulk need not stay in memory, unless some of them can be left out and written to a file.
      if (this.rejects === undefined)
        for (const [at, { line }] of good.entries()) good[at] = { line, source: '', json: '' };
      return bulk;
    } catch (error) {
      await bulk.close();
      throw error;
    }
  }

  async #commit(bulk: TargetBulk, key: string, records: number): Promise<Imported | undefined> {
    const [imported] = await this.run.patiently(() => bulk.commit([{ key, records }], false));
    return imported;
  }
}

/** One that could not be filled is closed already. */
async function closed(bulk: Promise<TargetBulk> | undefined): Promise<void> {
  const opened = await bulk?.catch(() => undefined);
  await opened?.close();
}

function lastLineOf({ good, refused }: Batch): number {
  return Math.max(good.at(-1)?.line ?? 0, refused.at(-1)?.line ?? 0);
}

function stopped(error: unknown, { rows, lastLine }: Sender, { name, into, isAgain }: Run): unknown {
  const isIn =
    rows === 0
      ? `nothing of ${name} was added to ${into}`
      : `${name} is in ${into} up to line ${lastLine} (${counted(rows, 'row')}), and nothing after it`;
  const open = mayBeIn(failureOf(error)) ? ', except perhaps one batch' : '';
  // --again begins anew.
  const command = `Run the same command ${!isAgain || rows === 0 ? 'again' : 'without --again'}`;
  const again = 'what is in is not added twice, for as long as Idempotency-Keys are kept (--idempotency)';
  if (error instanceof Interrupted) return new Stopped(`Stopped: ${isIn}. ${command} to continue: ${again}.`);
  if (error instanceof BadRows) {
    const fix = error.rows.some(({ isHeader }) => isHeader)
      ? 'Correct the header, or name the fields of columns with --map COLUMN=FIELD'
      : `Correct the file. ${command}`;
    return new Stopped(`Stopped: ${isIn}. ${rows === 0 ? `${fix}.` : `${fix}: ${again}.`}`, error.rows);
  }
  // Nothing has begun, and there is nothing to continue.
  if (error instanceof StartError && rows === 0) return error;
  const why = whyOf(error);
  return why === undefined ? error : new Stopped(`${why} Stopped: ${isIn}${open}. ${command} to continue: ${again}.`);
}
