/** Where an import goes: a database, or a server. */

import { Failure, StartError } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { ruleOfKey, type UniqueRule } from '../../../domain/record/unique-rules.ts';
import type { Bulked, ImportBatch, Imported } from '../../../domain/store/bulk.ts';
import type { FailureOf } from '../../../import/failure.ts';

export type Target = {
  /** For messages, as in "data/shelf.db". */
  readonly label: string;
  readonly collection: Collection;
  /** Records that have the same values in its fields are updated. Undefined if all records are added. */
  readonly key: UniqueRule | undefined;
  /** Failures may pass by themselves, because others use it, too. */
  readonly isShared: boolean;
  /** `isLarge`: for more records than fit into memory. */
  bulk(isLarge: boolean): Promise<TargetBulk>;
  close(): Promise<void>;
};

/** Records that are added together: all or none. Rejects with a Failure, or with Unreachable. */
export type TargetBulk = {
  /** Records as they are stored, or keyed texts. */
  add(records: readonly string[]): Promise<void>;
  /** The batches have all records, in their order. `isAgain`: also those that are in already. May be repeated after a failure. */
  commit(batches: readonly ImportBatch[], isAgain: boolean): Promise<readonly Imported[]>;
  /** The numbers of records that could be added, and updated. */
  check(): Promise<Checked>;
  close(): Promise<void>;
};

export type Checked = Pick<Bulked, 'created' | 'updated'>;

/** The rule with these fields. Throws a StartError. */
export function keyOf(collection: Collection, fields: readonly string[] | undefined): UniqueRule | undefined {
  if (fields === undefined) return undefined;
  const rule = ruleOfKey(collection, fields);
  if ('refused' in rule) throw new StartError(`--key ${fields.join()} ${rule.refused}.`);
  return rule;
}

/** Records that are passed on together: they are copied and hashed on the way, in about a millisecond. */
const recordsAtOnce = 1000;

/** Adds rows to a bulk, some at a time. */
export async function addRows(bulk: TargetBulk, rows: readonly { readonly json: string }[]): Promise<void> {
  for (let at = 0; at < rows.length; at += recordsAtOnce)
    await bulk.add(rows.slice(at, at + recordsAtOnce).map(({ json }) => json));
}

/** The server does not answer, or something between does. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly code = 'no_answer';
  readonly status = 0;
}

export const failureOf: FailureOf = (error) =>
  error instanceof Failure || error instanceof Unreachable ? error : undefined;
