/** Answers without what is declared to differ: times, change numbers, and seals that each database makes with a secret of its own. */
import type { Answer } from '../../test/support/servers/role-server.ts';

const compared = [
  'content-type',
  'allow',
  'location',
  'idempotent-replayed',
  'accept-patch',
  'vary',
  'retry-after',
  'www-authenticate',
];

/** The same text for answers that are the same to their caller. */
export function sameText({ status, headers, text }: Answer): string {
  const etag = headers.get('etag');
  const heads = [
    ...compared.map((name) => `${name}: ${headers.get(name)}`),
    // That of a record is its version; all others are digests of bodies with times.
    `etag: ${etag !== null && /^"\d+"$/.test(etag) ? etag : etag !== null}`,
    `link: ${headers.has('link')}`,
  ];
  const body = text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replace(/"(seq|last|first_change|last_change|after)":\d+/g, '"$1":N')
    .replace(/"next_cursor":"[^"]*"/g, '"next_cursor":"C"')
    .replace(/"ticket":"[^"]*"/g, '"ticket":"T"')
    .replace(/after=\d+/g, 'after=N');
  return `${status}\n${heads.join('\n')}\n${body}`;
}
