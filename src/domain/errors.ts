/** The closed list of failures that a response can have. docs/api.md explains each code. */

/** Title and hint together are one sentence: what failed, and the fix. */
export const failures = {
  malformed_request: {
    status: 400,
    title: 'Invalid HTTP request',
    hint: 'send HTTP/1.1 as RFC 9112 defines it, or use a client library',
  },
  malformed_json: { status: 400, title: 'The body is not JSON', hint: 'send one JSON object in UTF-8' },
  malformed_csv: {
    status: 400,
    title: 'The body is not CSV',
    hint: 'send RFC 4180 in UTF-8, with a header row',
  },
  invalid_body: {
    status: 400,
    title: 'Invalid body',
    hint: 'correct every problem listed under "errors"',
  },
  invalid_id: {
    status: 400,
    title: 'The id in the path is not an integer',
    hint: 'send decimal digits, with a minus sign if it is negative',
  },
  invalid_query: {
    status: 400,
    title: 'Invalid query parameter',
    hint: 'correct the parameter that is named',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this list',
    hint: 'start without a cursor, and keep the same filters and sort for all pages',
  },
  invalid_key: {
    status: 400,
    title: 'Invalid Idempotency-Key',
    hint: 'send 1 to 255 visible characters, with or without quotes',
  },
  unauthorized: {
    status: 401,
    title: 'Missing or invalid API key',
    hint: 'send Authorization: Bearer <key> or X-API-Key: <key>',
  },
  forbidden: { status: 403, title: 'The API key lacks the required scope', hint: 'use a key with that scope' },
  host_not_allowed: {
    status: 403,
    title: 'The Host header names a host that is not served',
    hint: 'use localhost, or add the name to --allowed-hosts',
  },
  cross_origin: {
    status: 403,
    title: 'Web pages of other origins may not write',
    hint: 'add the origin to --cors',
  },
  not_found: { status: 404, title: 'Not found', hint: 'list the collection to see its ids' },
  unknown_path: { status: 404, title: 'Unknown path', hint: 'GET / lists the paths' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    hint: 'the Allow header lists the methods of this path',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    hint: 'send its head within 15 seconds, and its body without long pauses',
  },
  already_exists: {
    status: 409,
    title: 'Another record has this value',
    hint: 'send another value, or change the record that is named',
  },
  reference_missing: {
    status: 409,
    title: 'The record that a field refers to does not exist',
    hint: 'create it first, or refer to another one',
  },
  still_referenced: {
    status: 409,
    title: 'Other records refer to this one',
    hint: 'delete or change them first',
  },
  check_failed: {
    status: 409,
    title: 'A check of the transaction does not hold',
    hint: 'read the records again, and decide anew; nothing was changed',
  },
  out_of_bounds: {
    status: 409,
    title: 'A sum is out of the bounds of its field',
    hint: 'add another number; nothing was changed',
  },
  too_many_records: {
    status: 409,
    title: 'An operation reads or changes too many records',
    hint: 'declare an index of the fields in "where", or narrow it; nothing was changed',
  },
  plan_refused: {
    status: 409,
    title: 'The database does not fit these declarations without a decision',
    hint: 'read the steps under "plan", and allow each that you want, or change the text; nothing was changed',
  },
  history_trimmed: {
    status: 410,
    title: 'The requested changes are trimmed',
    hint: 'read the lists again, and continue from the change that is named',
  },
  precondition_failed: {
    status: 412,
    title: 'If-Match or If-None-Match does not hold',
    hint: 'fetch the record, and retry with its current ETag',
  },
  body_too_large: { status: 413, title: 'The body is too large', hint: 'send less, or raise --max-body' },
  uri_too_long: {
    status: 414,
    title: 'The request target is too long',
    hint: 'send fewer or shorter parameters; request line and headers together are at most 16 KiB',
  },
  unsupported_encoding: { status: 415, title: 'The body is compressed', hint: 'send it without Content-Encoding' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported Content-Type',
    hint: 'for a PATCH, send application/json or application/merge-patch+json',
  },
  key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used with another body',
    hint: 'use a new key for a new request',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    hint: 'wait for the time in the Retry-After header, and send fewer',
    retryAfter: 1,
  },
  head_too_large: {
    status: 431,
    title: 'The request line and headers are too large',
    hint: 'send at most 16 KiB and 100 headers',
  },
  internal: {
    status: 500,
    title: 'Internal server error',
    hint: 'the log has it under the X-Request-Id of this answer',
  },
  unsupported_coding: {
    status: 501,
    title: 'Unknown Transfer-Encoding',
    hint: 'send the body chunked, or with a Content-Length',
  },
  storage_unavailable: {
    status: 503,
    title: 'The database cannot store this now',
    hint: 'nothing was changed; retry shortly',
    retryAfter: 1,
  },
  outcome_unknown: {
    status: 503,
    title: 'The outcome of this write is unknown',
    hint: 'the connection to the database was lost during the write; check before you retry',
  },
  overloaded: {
    status: 503,
    title: 'The server is overloaded',
    hint: 'nothing was changed; retry shortly',
    retryAfter: 1,
  },
  timed_out: {
    status: 503,
    title: 'The request timed out',
    hint: 'nothing was changed; retry, or ask for less',
    retryAfter: 1,
  },
  not_ready: { status: 503, title: 'The database does not answer', hint: 'retry shortly', retryAfter: 1 },
  issuer_unavailable: {
    status: 503,
    title: 'The issuer of the token cannot be asked for its key',
    hint: 'retry shortly, or use an API key',
    retryAfter: 5,
  },
  unsupported_version: { status: 505, title: 'Unsupported HTTP version', hint: 'use HTTP/1.1' },
} as const satisfies Record<string, Declared>;

type Declared = {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
  /** Seconds. Absent if a retry does not help, or may do harm. */
  readonly retryAfter?: number;
};

export type FailureCode = keyof typeof failures;

/** One problem with a body. */
export type Problem = {
  /** Undefined for the body as a whole; the empty string is a valid member name. */
  readonly field: string | undefined;
  /** The members and elements that lead to the object with the field; absent if that is the body. */
  readonly at?: readonly (string | number)[];
  readonly message: string;
  /** The query parameter that has it, where several can have some. */
  readonly parameter?: string;
  /** Line number, in a body with one record per line. */
  readonly line?: number;
  /** In a bulk: the number of the earlier record that has the same unique value, counted from 1. */
  readonly earlierRecord?: number;
};

/** Details of one failure, in addition to its code. */
export type Specifics = {
  /** Replaces the sentence of the code. */
  readonly detail?: string;
  /** Seconds; replaces the value of the code. */
  readonly retryAfter?: number;
  readonly problems?: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of the problem document beside the usual ones. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** For the log only. */
  readonly cause?: unknown;
};

export class Failure extends Error {
  override readonly name = 'Failure';

  readonly detail: string;
  readonly problems: readonly Problem[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly members: Readonly<Record<string, unknown>> | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;

  constructor(
    readonly code: FailureCode,
    { detail = sentence(code), problems, headers, members, retryAfter, cause }: Specifics = {},
  ) {
    super(detail, { cause });
    this.detail = detail;
    this.problems = problems;
    this.headers = headers;
    this.members = members;
    this.retryAfter = retryAfter ?? retryAfterOf(code);
  }

  get status(): number {
    return failures[this.code].status;
  }
}

/** Limits the problems in a response; a body can have as many as it has fields. */
const maxListed = { inSentence: 20, oneByOne: 100 };

/** `invalid_body` with the problems both in one sentence and as a list. */
export function invalidBody(singular: string, problems: readonly Problem[]): Failure {
  return withProblems('invalid_body', `Invalid ${singular}`, 'the body', problems);
}

/** `what` begins the sentence, and `whole` is the name of what has the problems. */
export function withProblems(
  code: 'invalid_body' | 'invalid_query',
  what: string,
  whole: string,
  problems: readonly Problem[],
): Failure {
  const first = problems.slice(0, maxListed.inSentence).map((one) => `${nameOf(one, whole)} ${one.message}`);
  const more = problems.length - first.length;
  const sentence = `${first.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  const listed = problems.slice(0, maxListed.oneByOne);
  return new Failure(code, { detail: `${what}: ${sentence}.`, problems: listed });
}

function nameOf({ field, at = [], parameter }: Problem, whole: string): string {
  const place = field === undefined ? [] : [...at, field === '' ? '""' : field];
  const names = parameter === undefined ? place : [parameter, ...place];
  return names.length === 0 ? whole : names.join('.');
}

/** Seconds; undefined if a retry does not help, or may do harm. */
export function retryAfterOf(code: FailureCode): number | undefined {
  const failure: Declared = failures[code];
  return failure.retryAfter;
}

/** The default detail of a failure. */
export function sentence(code: FailureCode): string {
  return `${failures[code].title}: ${failures[code].hint}.`;
}

/** Why the server cannot start: one line with the fix. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
