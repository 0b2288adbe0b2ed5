/** Refuses tables of another version. */
import { StartError } from '../../domain/errors.ts';

/** Throws a StartError unless the tables are those of this version. */
export function requireVersion(found: number, current: number, label: string): void {
  if (found === current) return;
  throw new StartError(
    found > current
      ? `${label} was written by a newer Shelf (schema ${found}, this one knows ${current}): upgrade Shelf.`
      : `${label} is of an older version of Shelf: run shelf migrate on it first.`,
  );
}
