import { expect, test } from 'bun:test';
import type { Bytes } from '../../../domain/bytes.ts';
import { SpoolLimits } from '../../bulk/spool-limits.ts';
import { LongLists } from './long-lists.ts';

test('a list that cannot be closed makes room for the next one', async () => {
  const lists = new LongLists(new SpoolLimits({ bulks: 1, lists: 1, spoolBytes: 100 }), 1);
  async function* read(): AsyncGenerator<Bytes, void> {
    try {
      yield new Uint8Array(1);
    } finally {
      // biome-ignore lint/correctness/noUnsafeFinally: as an error of the driver does
      throw new Error('EIO');
    }
  }
  for (let n = 0; n < 2; n++) {
    const parts = lists.parts('c', read);
    await parts.next();
    await expect(parts.return()).rejects.toThrow('EIO');
  }
});
