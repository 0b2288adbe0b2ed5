/** Fills a target with the contents of a source, and compares both before the target becomes visible. */
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import type { Batches, Contents } from './contents.ts';
import {
  besides,
  differences,
  outlineDifferences,
  type RowKind,
  recordLines,
  rowLines,
  type Tallies,
  type Tally,
  Tallying,
  tally,
} from './digest.ts';
import { eventLoopYield } from './event-loop-yield.ts';
import type { TargetDatabase } from './target-database.ts';

export type TransferOptions = {
  /** Called with the number of rows that are written, or read back. */
  readonly onRows: (rows: number, thing: RowKind) => void;
  /** Called between the two. */
  readonly onVerify: () => void;
  /** What the source has to have, if that is known from elsewhere. */
  readonly expected?: Tallies | undefined;
  /** Stops it: the target stays as it was. */
  readonly signal: AbortSignal;
};

/** Publishes the target. Throws a StartError that names every difference if what it reads back is not what was written. */
export async function transfer(source: Contents, target: TargetDatabase, options: TransferOptions): Promise<Tallies> {
  const { onRows, onVerify, expected, signal } = options;
  const { outline } = source;
  const tallies = new Map<string, Tally>();
  const yieldToEvents = eventLoopYield();

  /** Passes batches on, and tallies them on the way. */
  async function* through<Row>(
    thing: RowKind,
    name: string,
    batches: Batches<Row>,
    lines: (rows: readonly Row[]) => string,
  ): AsyncGenerator<readonly Row[]> {
    const tallying = new Tallying();
    for await (const rows of batches) {
      await yieldToEvents();
      signal.throwIfAborted();
      tallying.add(lines(rows), rows.length);
      yield rows;
      onRows(rows.length, thing);
    }
    tallies.set(name, tallying.end());
  }
  const records = (of: Collection) => through('record', of.name, source.records(of), (rows) => recordLines(of, rows));

  await target.create(outline);
  for (const { collection } of outline.parts) await target.addRecords(collection, records(collection));
  await target.addChanges(through('change', besides.changes, source.changes(), rowLines));
  await target.addApiKeys(through('key', besides.apiKeys, source.apiKeys(), rowLines));
  await target.addIdempotencyKeys(through('key', besides.idempotencyKeys, source.idempotencyKeys(), rowLines));
  requireExpected(tallies, expected);
  signal.throwIfAborted();
  await target.complete(outline);
  onVerify();
  const wrong = await target.read(async (written) => {
    const read = await tally(written, (rows, thing) => {
      signal.throwIfAborted();
      onRows(rows, thing);
    });
    return [...differences(tallies, read), ...outlineDifferences(outline, written.outline)];
  });
  if (wrong.length > 0)
    throw new StartError(
      `The target is not the same as the source, and was not put in place (${wrong.join('; ')}): check its disk and triggers, and retry.`,
    );
  signal.throwIfAborted();
  await target.publish();
  return tallies;
}

function requireExpected(read: Tallies, expected: Tallies | undefined): void {
  for (const [name, { count, sha256 }] of expected ?? []) {
    const found = read.get(name);
    if (found?.count !== count)
      throw new StartError(
        `${name} has ${found?.count ?? 0} records, and the manifest says ${count}: the export was changed or is damaged. Nothing was imported.`,
      );
    if (found.sha256 !== sha256)
      throw new StartError(
        `The SHA-256 of ${name} is not the one in the manifest: the export was changed or is damaged. Nothing was imported.`,
      );
  }
}
