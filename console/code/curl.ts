/** A request as a command for a shell. */
import type { Request } from '../api/request.ts';
import { startedAs } from '../state/session.ts';

export type Written = Pick<Request, 'method' | 'path' | 'headers'> & { readonly body?: string };

/** The key is a variable: a secret does not belong into a history. */
export function curlOf({ method = 'GET', path, headers = {}, body }: Written, withKey: boolean): string {
  const parts = ['curl'];
  // Brackets are ranges to curl.
  if (/[[\]{}]/.test(path)) parts.push('-g');
  // A body makes it a POST.
  if (method !== (body === undefined ? 'GET' : 'POST')) parts.push('-X', method);
  const { trust } = startedAs();
  if (trust !== '') parts.push('--cacert', trust);
  parts.push(quoted(location.origin + path));
  if (withKey) parts.push('-H', '"Authorization: Bearer $SHELF_KEY"');
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quoted(`${name}: ${value}`));
  if (body !== undefined) parts.push('-d', quoted(body));
  return parts.join(' ');
}

/** Within single quotes a shell changes nothing. */
export function quoted(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
