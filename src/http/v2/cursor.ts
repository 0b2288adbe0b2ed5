/** The signed position of the next page: only a cursor that Shelf issued for the same list is accepted. */

import { seenIn, type View } from '../../domain/access/view.ts';
import { Failure } from '../../domain/errors.ts';
import type { Position, Query } from '../../domain/input/query.ts';
import { whereText } from '../../domain/where/where.ts';

/** 128 bits cannot be guessed. */
const sealBytes = 16;

/** The list that a cursor is bound to, as its caller sees it; the limit and the fields may change from page to page. */
function listOf({ collection: { name }, sight }: View, { where, sort }: Query): string {
  const seen = sight === undefined ? '' : `,${JSON.stringify(sight.key)}`;
  return `["${name}",${whereText(where)},${JSON.stringify(sort)}${seen}]`;
}

function seal(secret: string, list: string, position: string): Buffer {
  const hash = new Bun.CryptoHasher('sha256', secret).update(list).update('\n').update(position);
  return hash.digest().subarray(0, sealBytes);
}

/** The cursor of the page that follows this position. */
export function cursorAfter(secret: string, view: View, query: Query, last: Position): string {
  const values = last.values.map((value) => (value === null ? null : String(value)));
  const position = JSON.stringify([last.recordId, ...values]);
  const sealed = seal(secret, listOf(view, query), position);
  return Buffer.concat([sealed, Buffer.from(position)]).toString('base64url');
}

/** Throws `invalid_cursor`. */
export function positionOf(secret: string, view: View, query: Query): Position | undefined {
  if (query.cursor === undefined) return undefined;
  const bytes = Buffer.from(query.cursor, 'base64url');
  const position = bytes.subarray(sealBytes).toString();
  const expected = seal(secret, listOf(view, query), position);
  const given = bytes.subarray(0, sealBytes);
  if (given.length !== sealBytes || !crypto.timingSafeEqual(given, expected)) throw new Failure('invalid_cursor');
  const [recordId, ...texts] = JSON.parse(position) as [number, ...(string | null)[]];
  const values = texts.map((text, index) => {
    const column = seenIn(view).columns.get(query.sort[index]?.field ?? '');
    // `parse` is the inverse of String.
    return text === null ? null : (column?.field.filter.parse(text) ?? null);
  });
  return { recordId, values };
}
