/** Entity tags and preconditions (RFC 9110, sections 8.8.3 and 13). */
import Type from 'typebox';
import { Failure } from '../../domain/errors.ts';
import type { Precondition } from '../../domain/store/precondition.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import type { Parameter } from './operation.ts';

export const ifMatch: Parameter = {
  name: 'If-Match',
  description: 'The ETag that the record must have; otherwise nothing is changed and the answer is 412.',
  schema: Type.String({ examples: ['"1"'] }),
};
export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  description: 'The ETag of your copy; the answer is 304 while it is current.',
  schema: Type.String({ examples: ['"1"'] }),
};

/** One tag of a list, with its quotes. */
type Listed = { readonly weak: boolean; readonly tag: string };

/** Skips anything that is not a tag, so that it matches nothing. */
function listedIn(header: string): readonly Listed[] | '*' {
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/(W\/)?("[!#-~\x80-\xff]*")/g)].map(([, weak, tag = '']) => ({
    weak: weak !== undefined,
    tag,
  }));
}

/**
 * Whether a read can be answered with 304. `If-None-Match` compares weakly: `W/"x"` and `"x"` name the same content.
 * Throws `precondition_failed` if `If-Match`, which compares strongly, names other content.
 */
export function isNotModified(request: Incoming, tag: string | undefined): boolean {
  if (!request.conditional) return false;
  const match = listedIn(request.header('if-match') ?? '*');
  if (match !== '*' && !match.some((listed) => !listed.weak && listed.tag === tag)) {
    throw new Failure('precondition_failed');
  }
  const none = listedIn(request.header('if-none-match') ?? '');
  const opaque = tag?.replace(/^W\//, '');
  return none === '*' || none.some((listed) => listed.tag === opaque);
}

/** The precondition of a write. `read` parses the text between the quotes; undefined if no record can have that tag. */
export function preconditionOf<Tag>(
  request: Incoming,
  read: (opaque: string) => Tag | undefined,
): Precondition<Tag> | undefined {
  if (!request.conditional) return undefined;
  const match = listedIn(request.header('if-match') ?? '*');
  const none = listedIn(request.header('if-none-match') ?? '');
  const known = (listed: readonly Listed[]) =>
    listed.map(({ tag }) => read(tag.slice(1, -1))).filter((tag) => tag !== undefined);
  return {
    match: match === '*' ? undefined : known(match.filter(({ weak }) => !weak)),
    noneMatch: none === '*' ? none : none.length === 0 ? undefined : known(none),
  };
}
