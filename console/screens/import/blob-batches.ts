/** The batches of a file that the browser has, with records for a bulk. */
import { objectOf } from '../../../src/exact/json-text.ts';
import { type Batch, batchesOf, type RowReader } from '../../../src/import/cut-batches.ts';
import { meaningOfColumns, meaningOfMembers } from '../../../src/import/layout.ts';
import { type GoodRow, type RefusedRow, reasonOf } from '../../../src/import/rows.ts';
import type { Collection } from '../../api/declarations.ts';
import { entryReader, ownNames } from './entry.ts';
import { decoded, readerFor } from './layout.ts';
import type { Plan } from './plan.ts';
import { newHash } from './sha256.ts';
import type { Source, SourceRow } from './source.ts';

/** Throws Unreadable. */
export function blobBatches({ name, blob }: Source, plan: Plan, collection: Collection): AsyncGenerator<Batch> {
  return batchesOf({
    source: { name, size: blob.size, pieces: () => piecesOf(blob) },
    readerFor: () => recordReader(plan, collection),
    newHash,
  });
}

/** Not every browser can iterate over a stream. */
export async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array> {
  const pieces = blob.stream().getReader();
  try {
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) yield piece.value;
  } finally {
    await pieces.cancel();
  }
}

function recordReader(plan: Plan, collection: Collection): RowReader {
  const rows = readerFor(plan.layout);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const read = entryReader(plan, collection);
  function rowOf(row: SourceRow): GoodRow | RefusedRow {
    const { line, source, values, problems } = read(row);
    return problems.length > 0
      ? { line, source, reason: reasonOf(problems) }
      : { line, source, json: objectOf(values) };
  }
  return {
    push: (bytes) => rows.push(decoded(() => decoder.decode(bytes, { stream: true }))).map(rowOf),
    end: () => [...rows.push(decoded(() => decoder.decode())), ...rows.end()].map(rowOf),
    layout: () => plan.layout,
    meaning: () => meaningOf(plan),
  };
}

function meaningOf({ layout: { format, separator, columns }, fields, key, converts }: Plan) {
  if (format === 'csv')
    return [...meaningOfColumns(separator, fields, key), ...(converts === true ? ['converted'] : [])];
  const members = columns.map((name, place) => [name, fields[place] ?? null] as const);
  return meaningOfMembers(
    members.filter(([name, field]) => field !== null || !ownNames.includes(name)),
    key,
  );
}
