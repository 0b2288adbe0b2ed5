/**
 * Cuts a file into batches, each with a key. Where a batch ends and what its key is depend on the text up to there alone, and on the fields of its
 * columns: the same file has the same batches when the import is continued, also by `shelf import`, and the server adds none of them twice.
 */
import type { Collection } from '../../api/declarations.ts';
import { type Entry, entryReader } from './entry.ts';
import { decoded, readerFor } from './layout.ts';
import { meaningOf } from './meaning.ts';
import type { Plan } from './plan.ts';
import { sha256 } from './sha256.ts';
import type { Source, SourceRow } from './source.ts';

export type Batch = {
  readonly key: string;
  readonly entries: readonly Entry[];
  /** The part of the file up to its end, from 0 to 1. */
  readonly share: number;
};

/** Other writes wait for a batch. `size` is in characters. The same as in `shelf import`. */
const batchEnd = { rows: 10_000, size: 4 * 1024 * 1024 };

/** Throws Unreadable. */
export async function* batchesOf(source: Source, plan: Plan, collection: Collection): AsyncGenerator<Batch> {
  const read = entryReader(plan, collection);
  let digest = await sha256(JSON.stringify(meaningOf(plan)));
  let entries: Entry[] = [];
  let size = 0;
  async function batch(share: number): Promise<Batch> {
    digest = await sha256([digest, ...entries.map((entry) => entry.source)].join('\n'));
    const full = entries;
    entries = [];
    size = 0;
    return { key: digest, entries: full, share };
  }
  for await (const { rows, share } of rowsOf(source.blob, plan)) {
    for (const row of rows) {
      const entry = read(row);
      entries.push(entry);
      size += entry.source.length;
      if (entries.length >= batchEnd.rows || size >= batchEnd.size) yield await batch(share);
    }
  }
  if (entries.length > 0) yield await batch(1);
}

async function* rowsOf(blob: Blob, { layout }: Plan): AsyncGenerator<{ rows: SourceRow[]; share: number }> {
  const reader = readerFor(layout);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces = blob.stream().getReader();
  let bytes = 0;
  try {
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
      const { value } = piece;
      bytes += value.length;
      yield { rows: reader.push(decoded(() => decoder.decode(value, { stream: true }))), share: bytes / blob.size };
    }
    yield { rows: [...reader.push(decoded(() => decoder.decode())), ...reader.end()], share: 1 };
  } finally {
    await pieces.cancel();
  }
}
