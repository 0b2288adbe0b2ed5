/** Sends the records of a batch to the server of this page. */
import type { FailureOf } from '../../../../src/import/failure.ts';
import type { GoodRow } from '../../../../src/import/rows.ts';
import type { ImportedBatch } from '../../../../src/import/send-rows.ts';
import { Problem } from '../../../api/problem.ts';
import { open } from '../../../api/request.ts';

export const bulkPath = (collection: string) => `/api/v2/${collection}/bulk`;

export type BulkOrder = {
  readonly collection: string;
  readonly key: string;
  /** Nothing is added. */
  readonly isDry: boolean;
  readonly signal: AbortSignal;
};

/** Throws a Problem, or the reason of the signal. */
export async function sendBulk(
  rows: readonly GoodRow[],
  { collection, key, isDry, signal }: BulkOrder,
): Promise<ImportedBatch> {
  const lines = rows.map(({ json }) => `${json}\n`).join('');
  const response = await open({
    method: 'POST',
    path: `${bulkPath(collection)}${isDry ? '?dry_run=true' : '?import=once'}`,
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: isDry ? lines : `${lines}${JSON.stringify([{ key, records: rows.length }])}\n`,
    signal,
  });
  const answer = (await response.json()) as { readonly batches?: readonly ImportedBatch[] };
  return answer.batches?.[0] ?? { created: rows.length };
}

export const failureOf: FailureOf = (error) => {
  if (!(error instanceof Problem)) return undefined;
  const problems = error.problems.map(({ field, detail, earlier_record, ...problem }) => ({
    ...problem,
    field: field === '' ? undefined : field,
    message: detail,
    ...(earlier_record === undefined ? {} : { earlierRecord: earlier_record }),
  }));
  return { code: error.code, status: error.status, problems };
};
