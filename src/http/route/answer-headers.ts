/** The headers of answers, each described once; OpenAPI refers to them by name. */
import Type, { type TSchema } from 'typebox';
import { type FailureCode, retryAfterOf } from '../../domain/errors.ts';

type Described = { readonly description: string; readonly schema: TSchema; readonly required?: true };

const text = (example: string) => Type.String({ examples: [example] });

export const answerHeaders = {
  'X-Request-Id': {
    description: 'The id of this request in the log: the one that the client sent, or a new one.',
    schema: text('0c5f6c1e-93f1-a'),
    required: true,
  },
  traceparent: {
    description: 'The trace of this request (W3C Trace Context), if the client sent one.',
    schema: text('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
  },
  'Cache-Control': { description: 'Whether caches may store the answer.', schema: text('no-cache'), required: true },
  Vary: { description: 'The request headers that the answer depends on.', schema: text('Accept-Encoding') },
  'Content-Encoding': { description: 'The compression of the body.', schema: text('gzip') },
  ETag: { description: 'Identifies this version of the answer; send it back as If-None-Match.', schema: text('"1"') },
  Location: { description: 'The path of the new record.', schema: text('/api/v2/items/2') },
  Link: { description: 'The next page, or the successor of this API (RFC 8288).', schema: Type.String() },
  'Idempotent-Replayed': {
    description: 'true if the Idempotency-Key was used before: this answer repeats the first one.',
    schema: Type.Unsafe<string>({ type: 'string', enum: ['true'] }),
  },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: text('1') },
  RateLimit: {
    description: 'Requests left (r), and seconds until there are more (t).',
    schema: text('"default";r=9;t=1'),
  },
  'RateLimit-Policy': {
    description: 'Requests allowed (q) per window, in seconds (w).',
    schema: text('"default";q=10;w=1'),
  },
  'WWW-Authenticate': { description: 'The authentication scheme for API keys.', schema: text('Bearer realm="shelf"') },
  'Accept-Patch': { description: 'The media types that PATCH accepts.', schema: text('application/merge-patch+json') },
  'Accept-Encoding': { description: 'The content encodings that a request body may have.', schema: text('identity') },
  Deprecation: { description: 'The date since which this API is deprecated (RFC 9745).', schema: text('@1767225600') },
  Sunset: { description: 'The date on which this API ends (RFC 8594).', schema: text('Fri, 01 Jan 2027 00:00:00 GMT') },
} as const satisfies Record<string, Described>;

export type AnswerHeader = keyof typeof answerHeaders;

/** For OpenAPI: on every answer. */
export const always: readonly AnswerHeader[] = ['X-Request-Id', 'Cache-Control', 'traceparent'];
/** For OpenAPI: on every answer of a server with a rate limit. */
export const limits: readonly AnswerHeader[] = ['RateLimit', 'RateLimit-Policy'];

const byFailure: Partial<Record<FailureCode, AnswerHeader>> = {
  unauthorized: 'WWW-Authenticate',
  unsupported_encoding: 'Accept-Encoding',
  unsupported_media_type: 'Accept-Patch',
};

export function headersOfFailures(codes: readonly FailureCode[]): AnswerHeader[] {
  return codes.flatMap((code) =>
    [byFailure[code] ?? [], retryAfterOf(code) === undefined ? [] : ('Retry-After' as const)].flat(),
  );
}

/** The `headers` of an OpenAPI response. */
export function headerRefs(names: readonly string[]): Readonly<Record<string, { readonly $ref: string }>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
