/** Pages of a list, with every digit. */
import { elementsOf, type JsonText } from '../../src/exact/json-text.ts';
import { members } from './json.ts';
import { send } from './request.ts';

export type Row = {
  readonly id: string;
  readonly version: string;
  readonly values: ReadonlyMap<string, JsonText>;
};

export type Page = { readonly rows: readonly Row[]; readonly next: string | undefined };

export function rowOf(values: ReadonlyMap<string, JsonText>): Row {
  return { id: values.get('id') ?? '', version: values.get('version') ?? '', values };
}

export async function readPage(path: string, signal: AbortSignal): Promise<Page> {
  const page = members(await send({ path, signal }));
  const next: string | null = JSON.parse(page.get('next_cursor') ?? 'null');
  return { rows: elementsOf(page.get('data') ?? '[]').map((one) => rowOf(members(one))), next: next ?? undefined };
}
