/** Where people sign in to the console: what its page knows of each issuer, and may fetch from it. */
import { scopes } from '../../domain/caller.ts';
import type { Issuer, Published } from './issuer.ts';

export type SignIns = {
  /** That tokens must have. */
  readonly audience: string;
  readonly registrations: readonly {
    readonly issuer: Issuer;
    /** The id of the console there. */
    readonly client: string;
    /** That the console asks for besides openid; undefined for those of Shelf. */
    readonly scope: string | undefined;
  }[];
};

/** As text for the page. An issuer for services alone is left out; one that was never read has only its name. */
export function signInsForPage({ audience, registrations }: SignIns): string {
  const issuers = registrations.filter(({ issuer }) => isForPeople(issuer.published)).map(issuerForPage);
  return JSON.stringify({ audience, issuers });
}

function issuerForPage({ issuer, client, scope }: SignIns['registrations'][number]) {
  const { name, published } = issuer;
  if (published === undefined) return { name };
  const { endpoints, algorithms, isNamedInAnswers } = published;
  const asked = new Set(['openid', ...(scope?.split(' ') ?? scopesOf(published))]);
  return { name, client, scope: [...asked].join(' '), endpoints, algorithms, isNamedInAnswers };
}

/** Few issuers list the scopes of services, so one that lists none of Shelf's may still have them. `profile` is the name of the person. */
function scopesOf({ scopes: listed = [] }: Published): readonly string[] {
  const known = scopes.flatMap((scope) => [scope, `shelf:${scope}`]).filter((scope) => listed.includes(scope));
  const asked = known.length > 0 ? known : scopes;
  return listed.includes('profile') ? ['profile', ...asked] : asked;
}

function isForPeople(published: Published | undefined): boolean {
  if (published === undefined) return true;
  const { authorization, token } = published.endpoints;
  return authorization !== undefined && token !== undefined;
}

/** What the page may fetch, as sources for its Content-Security-Policy. It visits the other endpoints. */
export function sourcesOf({ registrations }: SignIns): readonly string[] {
  const endpoints = registrations.flatMap(({ issuer: { published } }) =>
    published !== undefined && isForPeople(published)
      ? [published.endpoints.token, published.endpoints.revocation].filter((url) => url !== undefined)
      : [],
  );
  return [...new Set(endpoints.map(sourceOf))];
}

/** A policy ignores the query of a source, and ends a source at a comma or a semicolon. */
function sourceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
}
