/** What tells clients of the contract's API that another one follows it, when the operator has set the dates. */
import type { Collection } from '../../domain/collection.ts';
import type { Headers } from '../../wire/reply.ts';

export type Ageing = { readonly deprecation: Date | undefined; readonly sunset: Date | undefined };

/** By path; undefined for everything else, and for all while there is no date. */
export function ageingHeaders(
  { deprecation, sunset }: Ageing,
  collections: readonly Collection[],
): (path: string) => Headers | undefined {
  if (deprecation === undefined && sunset === undefined) return () => undefined;
  const dates = {
    // RFC 9745 and RFC 8594 write a date each in its own way.
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
