/** Every way a request can fail. Nothing else is ever answered, and each code is explained in docs/api.md. */

export const failures = {
  malformed_json: {
    status: 400,
    title: 'The body is not JSON',
    hint: 'Send one JSON object, encoded as UTF-8.',
  },
  invalid_body: {
    status: 400,
    title: 'The body does not match the declared fields',
    hint: 'Every problem is listed under "errors": mend each and send it again.',
  },
  invalid_id: {
    status: 400,
    title: 'The id in the path is not an integer',
    hint: 'Write the id in decimal digits, with a minus if it is negative.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    hint: 'No record has this id; list the collection to see which do.',
  },
  unknown_path: {
    status: 404,
    title: 'There is nothing at this path',
    hint: 'GET / lists what there is.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not take this method',
    hint: 'The Allow header lists the methods it takes.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    hint: 'Send less, or have the operator raise --max-body.',
  },
  unsupported_encoding: {
    status: 415,
    title: 'The body is compressed',
    hint: 'Send it as it is, without Content-Encoding.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong inside the server',
    hint: 'It has been logged under the X-Request-Id of this answer.',
  },
  not_ready: {
    status: 503,
    title: 'The database does not answer',
    hint: 'Try again shortly.',
  },
} as const satisfies Record<string, { status: number; title: string; hint: string }>;

export type FailureCode = keyof typeof failures;

/** One thing wrong with a body; `field` is empty when it is the body as a whole. */
export type Problem = { readonly field: string; readonly message: string };

export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    readonly code: FailureCode,
    /** One sentence that a person can act on. */
    readonly detail: string,
    readonly extra: {
      readonly problems?: readonly Problem[];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail);
  }

  get status(): number {
    return failures[this.code].status;
  }
}

/** A reason not to start, as one line that tells the operator what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
