/** Compares a record with its last change in the feed. */

import { parseJson } from '../../domain/input/json.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Meta, Stored } from '../../domain/record/record.ts';
import { beforeProblem } from '../rows/change-before.ts';

/** The last change of a record that the feed still has; `json` is the record as it was then. */
export type LastChange = Meta & {
  readonly change: number;
  readonly type: string;
  readonly json: string;
  /** As in a change row. */
  readonly before: string | null;
};

/** The problem; undefined if they agree. `stored` is undefined if there is no such record. */
export function changeProblem(
  collection: Collection,
  stored: Stored | undefined,
  change: LastChange,
): string | undefined {
  const named = `its last change (${change.change})`;
  const wrong = beforeProblem(change.type, change.version, change.before);
  if (wrong !== undefined) return `${named} ${wrong}`;
  if (change.type === 'deleted') return stored === undefined ? undefined : `is there, though ${named} is its deletion`;
  if (stored === undefined) return `is missing, though ${named} is not its deletion`;
  if (stored.version !== change.version) return `has version ${stored.version}, and ${named} has ${change.version}`;
  if (stored.createdAt !== change.createdAt || stored.updatedAt !== change.updatedAt)
    return `has other times than ${named}`;
  const field = differingField(collection, stored, change.json);
  return field === undefined ? undefined : `has another ${field} than ${named}`;
}

/**
 * A change has the fields of its time. If those are other ones now, or if a value is no longer one of its field, the declaration has
 * changed since, and there is nothing to compare.
 */
function differingField({ fields }: Collection, { row }: Stored, recorded: string): string | undefined {
  const json = parseJson(recorded);
  const values = json.value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields);
  if (Object.keys(values).length !== keys.length || !keys.every((key) => Object.hasOwn(values, key))) return undefined;
  return keys.find((key) => {
    const field = fields[key];
    const [value, now] = [values[key], row[key] ?? null];
    if (field === undefined) return false;
    if (value === null || now === null) return value !== now && (field.declared.optional ?? false);
    const read = field.read(value, field.takesText ? json.text(key) : json.literal(key));
    return typeof read !== 'object' && field.encode(read) !== field.encode(now);
  });
}
