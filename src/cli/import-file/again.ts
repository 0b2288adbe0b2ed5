/** `--again`: the target is to forget that it has the batches of a file. After that they are added like those of a new file, and can be continued. */
import type { ImportBatch } from '../../domain/store/bulk.ts';
import { type Run, unlessStopped } from './stopped-import.ts';

/** All of them in one transaction. */
export async function forgetBatches({ batches, target, signal, patiently }: Run): Promise<void> {
  const forgotten: ImportBatch[] = [];
  for await (const { key } of unlessStopped(batches(), signal)) forgotten.push({ key, records: 0 });
  const bulk = await patiently(() => target.bulk(false));
  try {
    await patiently(() => bulk.commit(forgotten, true));
  } finally {
    await bulk.close();
  }
}
