/** What a server answers to a bulk. Undefined for all that Shelf does not answer. */
import { isObject } from '../../../domain/input/json.ts';
import { printable } from '../../../domain/input/printable.ts';
import type { Imported } from '../../../domain/store/bulk.ts';
import type { Checked } from './import-target.ts';

/** `count` is the number of batches that were sent. */
export function importedIn(answer: unknown, count: number): readonly Imported[] | undefined {
  if (!isObject(answer) || !Array.isArray(answer.batches) || answer.batches.length !== count) return undefined;
  const imported = answer.batches.map(batchIn);
  return imported.every((batch) => batch !== undefined) ? imported : undefined;
}

/** The numbers of records that could be added and updated; the second one only with a key. */
export function checkedIn(answer: unknown): Checked | undefined {
  if (!isObject(answer) || !isCount(answer.valid)) return undefined;
  const { valid, updated } = answer;
  return isCount(updated) ? { created: valid - updated, updated } : { created: valid };
}

function batchIn(value: unknown): Imported | undefined {
  if (!isObject(value)) return undefined;
  const { created, updated, earlier } = value;
  if (!isCount(created)) return undefined;
  // They are null if a batch with a key has created none.
  const hasIds = created > 0 || updated === undefined;
  const [first, last] = hasIds ? [value.first_id, value.last_id] : [0, 0];
  if (!isInteger(first) || !isInteger(last)) return undefined;
  const bulked = { created, first, last, ...(isCount(updated) ? { updated } : {}) };
  if (earlier === undefined) return bulked;
  if (!isObject(earlier) || typeof earlier.at !== 'string') return undefined;
  const { existing } = earlier;
  // It is for a terminal.
  const at = printable(earlier.at);
  if (existing === undefined) return { ...bulked, earlier: { at } };
  return isCount(existing) ? { ...bulked, earlier: { at, existing } } : undefined;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isCount(value: unknown): value is number {
  return isInteger(value) && value >= 0;
}
