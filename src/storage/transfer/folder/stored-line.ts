/** A record as a line of an export. */

import { Failure } from '../../../domain/errors.ts';
import { highestNumber, isNumber } from '../../../domain/feed/feed-history.ts';
import { parseJson } from '../../../domain/input/json.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { momentOf } from '../../../exact/moment.ts';

/** Checked like a record that a client sends, whatever its patterns take. Returns the problem if there is one. */
export function storedIn({ record }: Collection, text: string): Stored | string {
  try {
    const json = parseJson(text);
    const { contractId: externalId, fields } = record.parseStored(json);
    const { id, version, created_at, updated_at } = json.value as Readonly<Record<string, unknown>>;
    if (!isNumber(id) || !isNumber(version)) return `id and version must be whole numbers from 1 to ${highestNumber}`;
    const [createdAt, updatedAt] = [momentIn(created_at), momentIn(updated_at)];
    if (createdAt === undefined || updatedAt === undefined) return 'created_at and updated_at must be times';
    return {
      recordId: id,
      version,
      createdAt,
      updatedAt,
      row: externalId === undefined ? fields : { id: externalId, ...fields },
    };
  } catch (error) {
    if (error instanceof Failure)
      return (error.problems ?? []).map(({ field, message }) => `${field ?? 'the record'} ${message}`).join('; ');
    if (error instanceof SyntaxError || error instanceof RangeError) return error.message;
    throw error;
  }
}

function momentIn(value: unknown): string | undefined {
  return typeof value === 'string' ? momentOf(value) : undefined;
}
