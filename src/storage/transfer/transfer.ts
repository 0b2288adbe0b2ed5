/** Fills a target with the contents of a source, and compares both before the target becomes visible. */
import { StartError } from '../../domain/errors.ts';
import { type Contents, ownTables } from './contents.ts';
import { differences, outlineDifferences, type Tallies, type TallyOptions, tally, tallying } from './digest.ts';
import type { TargetDatabase } from './target-database.ts';

/** `onRows` is called for rows that are written, and again for rows that are read back. `signal`: the target stays as it was. */
export type TransferOptions = TallyOptions & {
  /** Called between the two. */
  readonly onVerify: () => void;
  /** What the source has to have, if that is known from elsewhere. */
  readonly expected?: Tallies | undefined;
};

/** Publishes the target. Throws a StartError that names every difference if what it reads back is not what was written. */
export async function transfer(source: Contents, target: TargetDatabase, options: TransferOptions): Promise<Tallies> {
  const { onVerify, expected, signal } = options;
  const { outline } = source;
  const { tallies, records, rows } = tallying(source, options);
  await target.create(outline);
  for (const { collection } of outline.parts) await target.addRecords(collection, records(collection));
  for (const table of ownTables) await target.addRows(table, rows(table));
  requireExpected(tallies, expected);
  signal.throwIfAborted();
  await target.complete(outline);
  onVerify();
  const wrong = await target.read(async (written) => [
    ...differences(tallies, await tally(written, options)),
    ...outlineDifferences(outline, written.outline),
  ]);
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
