/** What a server answers to a bulk. Undefined for all that Shelf does not answer. */
import { isObject } from '../../../declarations/mistakes.ts';
import { printable } from '../../../domain/input/printable.ts';
import type { Imported } from '../../../domain/store/bulk.ts';

/** `count` is the number of batches that were sent. */
export function importedIn(answer: unknown, count: number): readonly Imported[] | undefined {
  if (!isObject(answer) || !Array.isArray(answer.batches) || answer.batches.length !== count) return undefined;
  const imported = answer.batches.map(batchIn);
  return imported.every((batch) => batch !== undefined) ? imported : undefined;
}

/** The number of records that could be added. */
export function validIn(answer: unknown): number | undefined {
  return isObject(answer) && isCount(answer.valid) ? answer.valid : undefined;
}

function batchIn(value: unknown): Imported | undefined {
  if (!isObject(value)) return undefined;
  const { created, first_id: first, last_id: last, earlier } = value;
  if (!isCount(created) || !isInteger(first) || !isInteger(last)) return undefined;
  if (earlier === undefined) return { created, first, last };
  if (!isObject(earlier) || typeof earlier.at !== 'string') return undefined;
  const { existing } = earlier;
  // It is for a terminal.
  const at = printable(earlier.at);
  if (existing === undefined) return { created, first, last, earlier: { at } };
  return isCount(existing) ? { created, first, last, earlier: { at, existing } } : undefined;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isCount(value: unknown): value is number {
  return isInteger(value) && value >= 0;
}
