/** Saves the list, as it is filtered, sorted and shown, as a file. */
import type { Collection } from '../../api/declarations.ts';
import { messageOf } from '../../api/problem.ts';
import { type Query, searchOf } from '../../api/query.ts';
import { receive } from '../../api/request.ts';
import { saveFile } from '../../parts/save-file.ts';
import { notify } from '../../state/notices.ts';

export type Format = 'csv' | 'ndjson';

const types: Readonly<Record<Format, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

export function exportRequest({ name }: Collection, query: Query, format: Format) {
  return { path: `/api/v2/${name}/export?${searchOf(query)}`, headers: { Accept: types[format] } };
}

export async function exportList(collection: Collection, query: Query, format: Format): Promise<void> {
  try {
    // A long list takes its time.
    const request = { ...exportRequest(collection, query, format), timeout: Number.POSITIVE_INFINITY };
    saveFile(await receive(request, (response) => response.blob()), `${collection.name}.${format}`);
  } catch (error) {
    notify({ kind: 'bad', text: `The export failed. ${messageOf(error)}` });
  }
}
