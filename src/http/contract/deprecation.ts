/** Headers that announce the end of the contract's API and its successor, once the operator has set the dates. */
import type { Collection } from '../../domain/record/collection.ts';
import type { Headers } from '../../wire/answer/reply.ts';

export type Deprecation = { readonly deprecation: Date | undefined; readonly sunset: Date | undefined };

/** Returns the headers for a path; undefined if it is not the contract's, or if no date is set. */
export function deprecationHeaders(
  { deprecation, sunset }: Deprecation,
  collections: readonly Collection[],
): (path: string) => Headers | undefined {
  if (deprecation === undefined && sunset === undefined) return () => undefined;
  const dates = {
    // RFC 9745 and RFC 8594 use different date formats.
    ...(deprecation === undefined ? {} : { Deprecation: `@${Math.floor(deprecation.getTime() / 1000)}` }),
    ...(sunset === undefined ? {} : { Sunset: sunset.toUTCString() }),
  };
  const names = collections.map(({ name }) => name);
  return (path) => {
    const name = /^\/api\/(?:v1\/)?([a-z0-9_]+)(?:\/|$)/.exec(path)?.[1];
    if (name === undefined || !names.includes(name)) return undefined;
    return { ...dates, Link: `</api/v2/${name}>; rel="successor-version"` };
  };
}
