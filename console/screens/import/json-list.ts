/** A JSON file with one list of objects, as lines: that is what is imported. */
import { compact, elementsOf } from '../../../src/exact/json-text.ts';
import { isJson } from './cell.ts';
import type { Source } from './source.ts';

/** The same source if it is no such list. */
export async function asLines(source: Source): Promise<Source> {
  const head = await source.blob.slice(0, 1024).text();
  if (
    !head
      .replace(/^\uFEFF/, '')
      .trimStart()
      .startsWith('[')
  )
    return source;
  const text = (await source.blob.text()).replace(/^\uFEFF/, '');
  if (!isJson(text)) return source;
  const lines = elementsOf(text).map((element) => `${compact(element)}\n`);
  return { name: `${source.name.replace(/\.\w+$/, '')}.ndjson`, blob: new Blob(lines) };
}
