/** Every way in which the application refuses a request. Each code is explained in docs/api.md. */

/** The hint follows the title after a colon, and together they are one sentence that a person can act on. */
export const failures = {
  malformed_request: {
    status: 400,
    title: 'This is not a valid HTTP request',
    hint: 'send HTTP/1.1 as RFC 9112 has it, or use a client library',
  },
  malformed_json: { status: 400, title: 'The body is not JSON', hint: 'send one JSON object, encoded as UTF-8' },
  invalid_body: {
    status: 400,
    title: 'The body does not match the declared fields',
    hint: 'mend every problem listed under "errors"',
  },
  invalid_id: {
    status: 400,
    title: 'The id in the path is not an integer',
    hint: 'write it in decimal digits, with a minus if it is negative',
  },
  invalid_query: {
    status: 400,
    title: 'A parameter is wrong',
    hint: 'mend the one that is named',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not one of this list',
    hint: 'begin again without it, with the same filters and sort to the end',
  },
  invalid_key: {
    status: 400,
    title: 'The Idempotency-Key is not one',
    hint: 'send 1 to 255 visible characters, in quotes or without',
  },
  unauthorized: {
    status: 401,
    title: 'A key is needed',
    hint: 'send one that counts, as Authorization: Bearer or X-API-Key',
  },
  forbidden: { status: 403, title: 'This key may not do this', hint: 'use one that may' },
  host_not_allowed: {
    status: 403,
    title: 'This host name is not served here',
    hint: 'use localhost, or have the name added to --allowed-hosts',
  },
  cross_origin: {
    status: 403,
    title: 'A web page of another origin may not change anything here',
    hint: 'have its origin added to --cors',
  },
  not_found: { status: 404, title: 'Not found', hint: 'list the collection to see which ids there are' },
  unknown_path: { status: 404, title: 'There is nothing at this path', hint: 'GET / lists what there is' },
  method_not_allowed: {
    status: 405,
    title: 'This path does not take this method',
    hint: 'the Allow header lists the methods it takes',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    hint: 'send its head within 15 seconds and its body without long pauses',
  },
  history_trimmed: {
    status: 410,
    title: 'These changes have been forgotten',
    hint: 'read the lists anew, and go on from the change that is named',
  },
  precondition_failed: {
    status: 412,
    title: 'If-Match or If-None-Match does not hold',
    hint: 'fetch the record again, and retry with its current ETag',
  },
  body_too_large: { status: 413, title: 'The body is too large', hint: 'send less, or have --max-body raised' },
  uri_too_long: {
    status: 414,
    title: 'The request target is too long',
    hint: 'send fewer or shorter parameters: the request line and headers together are at most 16 KiB',
  },
  unsupported_encoding: { status: 415, title: 'The body is compressed', hint: 'send it without Content-Encoding' },
  unsupported_media_type: {
    status: 415,
    title: 'The body is of a type that is not taken here',
    hint: 'the Accept-Patch header lists those that are',
  },
  key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another body',
    hint: 'take a new key for a new request',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    hint: 'wait as long as the Retry-After header says, and then send fewer',
    retryAfter: 1,
  },
  head_too_large: {
    status: 431,
    title: 'The request line and headers are too large',
    hint: 'send at most 16 KiB and 100 headers',
  },
  internal: {
    status: 500,
    title: 'Something went wrong inside the server',
    hint: 'it is in the log under the X-Request-Id of this answer',
  },
  unsupported_coding: {
    status: 501,
    title: 'The body has an unknown Transfer-Encoding',
    hint: 'send it chunked, or with a Content-Length',
  },
  storage_unavailable: {
    status: 503,
    title: 'The database cannot store this now',
    hint: 'nothing was changed, so try again shortly',
    retryAfter: 1,
  },
  outcome_unknown: {
    status: 503,
    title: 'It is not known whether this was stored',
    hint: 'the database went away while it was at it, so look before you send it again',
  },
  overloaded: {
    status: 503,
    title: 'Too much is waiting',
    hint: 'nothing was changed, so try again shortly',
    retryAfter: 1,
  },
  timed_out: {
    status: 503,
    title: 'This took too long',
    hint: 'nothing was changed, so try again, or ask for less',
    retryAfter: 1,
  },
  not_ready: { status: 503, title: 'The database does not answer', hint: 'try again shortly', retryAfter: 1 },
  unsupported_version: { status: 505, title: 'This HTTP version is not served', hint: 'use HTTP/1.1' },
} as const satisfies Record<string, Declared>;

type Declared = {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
  /** In seconds. Absent where repeating the request does not help, or may do harm. */
  readonly retryAfter?: number;
};

export type FailureCode = keyof typeof failures;

/** One thing wrong with a body. */
export type Problem = {
  /** Undefined when it is the body as a whole; the empty text is a key too. */
  readonly field: string | undefined;
  readonly message: string;
  /** Of a body that has a record to a line. */
  readonly line?: number;
};

/** What one failure says beyond its code. */
type Specifics = {
  /** In place of the code's own sentence. */
  readonly detail?: string;
  /** In seconds, in place of the code's own. */
  readonly retryAfter?: number;
  readonly problems?: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log alone. */
  readonly cause?: unknown;
};

export class Failure extends Error {
  override readonly name = 'Failure';

  readonly detail: string;
  readonly problems: readonly Problem[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** In seconds. */
  readonly retryAfter: number | undefined;

  constructor(
    readonly code: FailureCode,
    { detail = sentence(code), problems, headers, retryAfter, cause }: Specifics = {},
  ) {
    super(detail, { cause });
    this.detail = detail;
    this.problems = problems;
    this.headers = headers;
    this.retryAfter = retryAfter ?? retryAfterOf(code);
  }

  get status(): number {
    return failures[this.code].status;
  }
}

/** So many problems are told: a body that is nothing else is not worth an answer of its size. */
const mostTold = { inSentence: 20, oneByOne: 100 };

/** The problems with a body, in one sentence and one by one. */
export function invalidBody(singular: string, problems: readonly Problem[]): Failure {
  const told = problems.slice(0, mostTold.inSentence).map(({ field, message }) => `${nameOf(field)} ${message}`);
  const more = problems.length - told.length;
  const sentence = `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  const listed = problems.slice(0, mostTold.oneByOne);
  return new Failure('invalid_body', { detail: `This is not a valid ${singular}: ${sentence}.`, problems: listed });
}

function nameOf(field: string | undefined): string {
  if (field === undefined) return 'the body';
  return field === '' ? '""' : field;
}

/** In seconds; undefined where repeating the request does not help, or may do harm. */
export function retryAfterOf(code: FailureCode): number | undefined {
  const failure: Declared = failures[code];
  return failure.retryAfter;
}

/** What a failure says where there is nothing more exact to say. */
export function sentence(code: FailureCode): string {
  return `${failures[code].title}: ${failures[code].hint}.`;
}

/** A reason not to start, as one line that tells the operator what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
