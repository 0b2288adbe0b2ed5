/** The number of records of a collection, or of those that a query matches. */
import { members } from './json.ts';
import { send } from './request.ts';

/** `search` has filters only. */
export function countPath(collection: string, search = ''): string {
  return `/api/v2/${collection}?${search === '' ? '' : `${search}&`}count=exact&limit=1&fields=id`;
}

/** As digits. */
export async function countOf(collection: string, search: string, signal: AbortSignal): Promise<string> {
  return members(await send({ path: countPath(collection, search), signal })).get('total') ?? '';
}

/** With a separator for thousands. */
export function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}
