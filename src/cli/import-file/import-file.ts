/** `shelf import FILE --collection NAME`: adds the records of a CSV or NDJSON file. */

import { StartError } from '../../domain/errors.ts';
import { persistently } from '../../import/retries.ts';
import type { ImportFileCommand } from '../config/import-command.ts';
import { progressOn, type Screen } from '../data/progress.ts';
import { counted } from '../text/amounts.ts';
import { importTogether } from './all-or-nothing.ts';
import { fileBatches } from './file-batches.ts';
import { importInBatches } from './in-batches.ts';
import { openInput } from './input.ts';
import { Stopped, whyOf } from './stopped-import.ts';
import { failureOf, type Target } from './target/import-target.ts';

export type ImportContext = {
  /** The most characters of a row. */
  readonly maxRow: number;
  /** Aborted when the import is to stop. */
  readonly signal: AbortSignal;
  /** For progress and problems. */
  readonly screen: Screen;
  /** For the last line of an import that is done. */
  say(line: string): void;
  /** Rows of a batch, if they are fewer than usual: for tests. */
  readonly batchRows?: number;
};

/** How long an import waits for a server or a database that others use. */
const patienceMs = 120_000;
/** Problems that are shown. */
const maxShown = 20;

/** Returns the exit code. */
export async function importFile(order: ImportFileCommand, target: Target, context: ImportContext): Promise<number> {
  const { screen, signal, say, maxRow, batchRows: rows } = context;
  const input = await openInput(order.from);
  const { name } = input;
  const { mapped, isDry, isAtomic, isAgain } = order;
  const batches = () =>
    fileBatches(input, { collection: target.collection, mapped, key: target.key?.fields, maxRow, rows });
  const progress = progressOn(screen, `${isDry ? 'Checking' : 'Importing'} ${name}`, 'row');
  const tell = (line: string) => {
    progress.end();
    screen.write(`shelf: ${line}\n`);
  };
  const onWait = (error: unknown, tries: number) => {
    if (tries === 1) tell(`Waiting: ${whyOf(error)}`);
  };
  const patiently = <Result>(attempt: () => Promise<Result>) =>
    target.isShared ? persistently(attempt, { failureOf, forMs: patienceMs, signal, onWait }) : attempt();
  const into = `${target.collection.name} of ${target.label}`;
  const run = { batches, isAgain, target, progress, signal, patiently, into, name };
  try {
    if (isAgain && !isAtomic && input.size === undefined)
      throw new StartError(`--again reads the file twice, and ${name} can be read once: add --atomic, or name a file.`);
    const { line, code } =
      isDry || isAtomic ? await importTogether(run, isDry) : await importInBatches(run, order.rejects);
    progress.end();
    say(line);
    return code;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    for (const row of error.rows.slice(0, maxShown)) tell(`${name}, line ${row.line}: ${row.reason}.`);
    const more = error.rows.length - maxShown;
    if (more > 0) tell(`${name}: ${counted(more, 'more problem')}.`);
    tell(error.message);
    return 1;
  } finally {
    await input.close();
  }
}
