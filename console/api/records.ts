/** Reads and writes of one record. Values are JSON text, so they are sent as they are shown. */
import { type JsonText, objectOf } from '../../src/exact/json-text.ts';
import { members } from './json.ts';
import { type Row, rowOf } from './pages.ts';
import { type Request, send } from './request.ts';

type Values = ReadonlyMap<string, JsonText>;
const json = { 'Content-Type': 'application/json' };

export const recordPath = (collection: string, id: string) => `/api/v2/${collection}/${encodeURIComponent(id)}`;

/** Only if the record is still of this version. */
export const ifUnchanged = ({ version }: Pick<Row, 'version'>) => ({ 'If-Match': `"${version}"` });

export async function readRecord(collection: string, id: string, signal?: AbortSignal): Promise<Row> {
  const path = recordPath(collection, id);
  return rowOf(members(await send({ path, ...(signal === undefined ? {} : { signal }) })));
}

export function createRequest(collection: string, values: Values) {
  return {
    method: 'POST',
    path: `/api/v2/${collection}`,
    headers: json,
    body: objectOf(values),
  } as const satisfies Request;
}

export function updateRequest(collection: string, row: Row, changes: Values) {
  return {
    method: 'PATCH',
    path: recordPath(collection, row.id),
    headers: { ...ifUnchanged(row), ...json },
    body: objectOf(changes),
  } as const satisfies Request;
}

export function deleteRequest(collection: string, row: Row) {
  return {
    method: 'DELETE',
    path: recordPath(collection, row.id),
    headers: ifUnchanged(row),
  } as const satisfies Request;
}

export async function write(request: Request): Promise<Row> {
  return rowOf(members(await send(request)));
}
