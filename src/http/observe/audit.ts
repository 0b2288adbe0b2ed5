/** What the audit log has: requests that were refused, and changes of API keys and of the configuration file. Changes of records are in the feed. */
import type { FailureCode } from '../../domain/errors.ts';
import type { Call } from '../route/route.ts';

export type AuditEntry = {
  /** The name of the caller; null without a valid key or token. */
  readonly caller: string | null;
  /** That the request was made in; null without one. */
  readonly role: string | null;
  /** Such as `DELETE /api/v2/items/{id}`; null for a path without a route. */
  readonly route: string | null;
  /** The id of a record or of an API key, as it was sent; null if the request is not about one. */
  readonly record: string | null;
  /** `outcome_unknown`: the API key may have been changed. */
  readonly outcome: 'created' | 'revoked' | 'changed' | FailureCode;
  readonly request_id: string | null;
};

export type Audit = (entry: AuditEntry) => void;

/** Of a request that has changed something other than records. */
export function auditOf(
  { request, caller, requestId }: Call,
  path: string,
  { record, outcome }: Pick<AuditEntry, 'record' | 'outcome'>,
): AuditEntry {
  return {
    ...{ caller: caller.name, role: caller.role ?? null, route: `${request.method} ${path}` },
    ...{ record, outcome, request_id: requestId },
  };
}

/** In characters: an id has 20, and a client may send anything in its place. */
const maxRecord = 100;

/** The id in a path of the API; null if its route has none. */
export function recordIn(route: string, path: string): string | null {
  if (!/^\/api\/.*\/\{\w+\}$/.test(route)) return null;
  const segment = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment).slice(0, maxRecord);
  } catch {
    return segment.slice(0, maxRecord);
  }
}
