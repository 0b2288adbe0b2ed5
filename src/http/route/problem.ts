/** Failures as problem details (RFC 9457). */
import Type from 'typebox';
import { type Failure, type FailureCode, failures, sentence } from '../../domain/errors.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import { headersOf, json } from './reply.ts';

export const problemSchema = Type.Object({
  type: Type.String({ format: 'uri-reference', description: 'A page on this server that explains the failure.' }),
  title: Type.String(),
  status: Type.Integer({ format: 'int32', minimum: 400, maximum: 599 }),
  detail: Type.String({ description: 'What failed, and the fix.' }),
  instance: Type.String({ format: 'uri-reference', description: 'The path of the request.' }),
  operation: Type.Optional(
    Type.Integer({
      format: 'int64',
      minimum: 0,
      description: 'In a transaction: the index of the operation that failed.',
    }),
  ),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        pointer: Type.String({ description: 'A JSON pointer into the body or the parameter, as a URI fragment.' }),
        detail: Type.String(),
        parameter: Type.Optional(
          Type.String({
            description: 'Of a summary: the query parameter with the mistake. The pointer leads into it.',
          }),
        ),
        line: Type.Optional(
          Type.Integer({ format: 'int64', description: 'The line, in a body with one record per line.' }),
        ),
        earlier_record: Type.Optional(
          Type.Integer({
            format: 'int64',
            description: 'In a bulk: the number of the earlier record that has the same unique value, counted from 1.',
          }),
        ),
      }),
    ),
  ),
});

export const problemPath = (code: FailureCode) => `/problems/${code.replaceAll('_', '-')}`;

/** `instance` is the path of the request. */
export function problem(failure: Failure, instance: string): Reply {
  return json(failure.status, JSON.stringify(problemBody(failure, instance)), {
    ...headersOf(failure),
    'Content-Type': 'application/problem+json',
  });
}

export function problemBody(failure: Failure, instance: string): object {
  const { code, status, detail } = failure;
  const errors = failure.problems?.map(({ field, at, message, parameter, line, earlierRecord }) => ({
    pointer: pointerTo(field, at),
    detail: message,
    parameter,
    line,
    earlier_record: earlierRecord,
  }));
  const body = { type: problemPath(code), title: failures[code].title, status, detail, instance, ...failure.members };
  return errors === undefined ? body : { ...body, errors };
}

/** As a URI fragment (RFC 6901, section 6). A lone surrogate has no UTF-8 form and becomes U+FFFD. */
function pointerTo(field: string | undefined, at: readonly (string | number)[] = []): string {
  if (field === undefined) return '#';
  const part = (one: string | number) =>
    encodeURIComponent(String(one).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
  return `#/${[...at, field].map(part).join('/')}`;
}

export function problemExample(code: FailureCode): unknown {
  const { status, title } = failures[code];
  const errors = code === 'invalid_body' ? [{ pointer: '#/name', detail: 'is required' }] : undefined;
  return { type: problemPath(code), title, status, detail: sentence(code), instance: '/api/v2/items', errors };
}
