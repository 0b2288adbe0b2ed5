/** Adds a whole file in one bulk, or checks it: all of it, or nothing. Batches of it that are in already stay. */
import { LineNumbers } from '../../domain/input/line-numbers.ts';
import type { ImportBatch } from '../../domain/store/bulk.ts';
import { mayBeIn, rowsAtFault } from '../../import/failure.ts';
import type { RefusedRow } from '../../import/rows.ts';
import { counted, grouped } from '../text/amounts.ts';
import { type Done, Interrupted, type Run, Stopped, unlessStopped, whyOf } from './stopped-import.ts';
import { Summary } from './summary.ts';
import { addRows, type Checked, failureOf } from './target/import-target.ts';

/** After so many refused rows the file is not read on. */
const maxRefused = 100;

/** Throws Stopped. */
export async function importTogether(run: Run, isDry: boolean): Promise<Done> {
  const { batches, target, signal, name, into, progress, patiently } = run;
  const bulk = await patiently(() => target.bulk(true));
  const lines = new LineNumbers();
  const refused: RefusedRow[] = [];
  const listed: ImportBatch[] = [];
  let rows = 0;
  try {
    for await (const batch of unlessStopped(batches(), signal)) {
      refused.push(...batch.refused);
      if (refused.length >= maxRefused) break;
      rows += batch.good.length;
      progress.at(rows, batch.share === undefined ? undefined : { share: batch.share });
      // After a refused row nothing will be added, and the rest is only checked.
      if (refused.length > 0) continue;
      for (const { line } of batch.good) lines.add(line);
      listed.push({ key: batch.key, records: batch.good.length });
      await addRows(bulk, batch.good);
    }
    if (refused.length > 0) throw stoppedBy(refused, run, isDry);
    if (isDry) {
      const checked = rows === 0 ? { created: 0 } : await patiently(() => bulk.check());
      return { line: `Checked ${name}: ${possible(checked, run)}`, code: 0 };
    }
    const imported = rows === 0 ? [] : await patiently(() => bulk.commit(listed, run.isAgain));
    const summary = new Summary(target.key !== undefined);
    for (const [place, batch] of imported.entries()) summary.add(batch, listed[place]?.records ?? 0);
    const code = summary.refusedBefore > 0 ? 1 : 0;
    return { line: `Imported ${name} into ${into}: ${summary.text()}`, code };
  } catch (error) {
    if (error instanceof Stopped) throw error;
    const nothing = `nothing of ${name} was added to ${into}`;
    if (error instanceof Interrupted) throw new Stopped(`Stopped: ${nothing}.`);
    const clashed = rowsAtFault(failureOf(error), (place) => ({ line: lines.lineOf(place), source: '' }));
    if (clashed.length > 0) throw stoppedBy(clashed, run, isDry);
    const why = whyOf(error);
    if (why === undefined) throw error;
    if (!mayBeIn(failureOf(error)) || isDry) throw new Stopped(`${why} Stopped: ${nothing}.`);
    throw new Stopped(
      `${why} Stopped: ${name} may be in ${into}, or not. Run the same command again: it is not added twice.`,
    );
  } finally {
    await bulk.close();
  }
}

function possible({ created, updated = 0 }: Checked, { into, target }: Run): string {
  return target.key === undefined
    ? `${counted(created, 'record')} can be added to ${into}. Nothing was added.`
    : `${counted(created, 'record')} can be created in ${into}, and ${grouped(updated)} updated. Nothing was changed.`;
}

function stoppedBy(refused: readonly RefusedRow[], { name, into }: Run, isDry: boolean): Stopped {
  const many = `${refused.length >= maxRefused ? 'At least ' : ''}${counted(refused.length, 'row')}`;
  const said = `${many} of ${name} cannot be added to ${into}. Nothing was added.`;
  return new Stopped(isDry ? `Checked ${name}: ${said}` : said, refused);
}
