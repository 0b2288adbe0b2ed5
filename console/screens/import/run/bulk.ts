/** Sends the records of a batch to the server of this page. */
import type { FailureOf } from '../../../../src/import/failure.ts';
import type { GoodRow } from '../../../../src/import/rows.ts';
import type { ImportedBatch } from '../../../../src/import/send-rows.ts';
import { ShelfError } from '../../../api/problem.ts';
import { send } from '../../../api/request.ts';

export const bulkPath = (collection: string) => `/api/v2/${collection}/bulk`;

export type BulkOrder = {
  readonly collection: string;
  /** Of the batch. */
  readonly key: string;
  /** The fields of a unique rule: records that have the same values are updated. */
  readonly recordKey: readonly string[] | undefined;
  /** Nothing is added. */
  readonly isDry: boolean;
  readonly signal: AbortSignal;
};

/** Throws a ShelfError: `aborted` if the signal ends it. */
export async function sendBulk(
  rows: readonly GoodRow[],
  { collection, key, recordKey, isDry, signal }: BulkOrder,
): Promise<ImportedBatch> {
  const lines = rows.map(({ json }) => `${json}\n`).join('');
  const text = await send({
    method: 'POST',
    path: `${bulkPath(collection)}${isDry ? '?dry_run=true' : '?import=once'}${recordKey === undefined ? '' : `&key=${recordKey.join()}`}`,
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: isDry ? lines : `${lines}${JSON.stringify([{ key, records: rows.length }])}\n`,
    signal,
  });
  const {
    batches,
    created = rows.length,
    updated,
  } = JSON.parse(text) as Partial<ImportedBatch> & {
    readonly batches?: readonly ImportedBatch[];
  };
  return batches?.[0] ?? { created, ...(updated === undefined ? {} : { updated }) };
}

export const failureOf: FailureOf = (error) => {
  if (!(error instanceof ShelfError)) return undefined;
  const problems = error.problems.map(({ detail, ...problem }) => ({ ...problem, message: detail }));
  return { code: error.code, status: error.status, retryAfter: error.retryAfter, problems };
};
