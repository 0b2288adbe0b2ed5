/** The OpenAPI document, built from the same routes that are served. */
import Type from 'typebox';
import type { Scope } from '../../domain/caller.ts';
import { type FailureCode, failures, sentence } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Headers } from '../../wire/answer/reply.ts';
import { always, answerHeaders, headerRefs, headersOfFailures, limits } from '../route/answer-headers.ts';
import { ifNoneMatch } from '../route/etag.ts';
import { jsonContent, notModified, type Operation } from '../route/operation.ts';
import { problemExample } from '../route/problem.ts';
import { cachedDocument } from '../route/reply-with-etag.ts';
import type { Route } from '../route/route.ts';
import { allSchemas, refTo } from '../route/schemas.ts';
import { transactionSchemas } from '../route/transaction-schemas.ts';

export type Info = {
  readonly version: string;
  readonly collections: readonly Collection[];
  /** There is a rate limit. */
  readonly limited: boolean;
  /** The scope that a route needs; undefined if it needs none. */
  needs(route: Route): Scope | undefined;
  /** Tokens are checked with keys that have to be fetched. */
  readonly hasIssuers: boolean;
  /** The deprecation headers of a path; undefined if it has none. */
  aged(path: string): Headers | undefined;
};

/** Examples of failures whose body differs from the sentence of their code. */
const errorExamples: Partial<Record<FailureCode, unknown>> = {
  not_found: { detail: 'Not found' },
  malformed_json: {
    detail: 'The body is empty: send a JSON object.',
    errors: [{ field: '', message: 'is empty: send a JSON object' }],
  },
  invalid_body: { detail: 'Invalid item: name is required.', errors: [{ field: 'name', message: 'is required' }] },
};

const documentSchema = Type.Object({ openapi: Type.String() }, { additionalProperties: true });

export function openapiRoute(routes: () => readonly Route[], info: Info): Route {
  const document = cachedDocument('application/json', () => JSON.stringify(openapi(routes(), info)));
  return {
    method: 'GET',
    sight: 'open',
    path: '/openapi.json',
    access: 'open',
    operation: {
      id: 'getOpenapi',
      tag: 'service',
      summary: 'This document',
      headers: [ifNoneMatch],
      answers: [
        {
          status: 200,
          description: 'OpenAPI 3.1.',
          headers: ['ETag', 'Vary', 'Content-Encoding'],
          content: jsonContent(documentSchema, { openapi: '3.1.0' }),
        },
        notModified,
      ],
      failures: ['precondition_failed'],
    },
    handle: ({ request }) => document(request),
  };
}

/** Alternatives: one of them is enough. */
const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or a JWT if the server accepts them.' },
  key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
};

function openapi(routes: readonly Route[], { version, collections, limited, needs, hasIssuers, aged }: Info) {
  const paths: Record<string, Record<string, unknown>> = {};
  let secured = false;
  for (const route of routes) {
    const { method, path, operation, access } = route;
    if (operation === undefined) continue;
    const guarded = needs(route) !== undefined;
    secured ||= guarded;
    const unguarded = access === 'always';
    const more: FailureCode[] = [
      // The production API refuses unknown query parameters on every path.
      ...(operation.problems ? (['invalid_query'] as const) : []),
      ...(guarded ? (['unauthorized', 'forbidden'] as const) : []),
      ...(hasIssuers && (guarded || access === 'anybody') ? (['issuer_unavailable'] as const) : []),
      ...(method === 'GET' ? [] : (['cross_origin'] as const)),
      ...(limited && !unguarded ? (['rate_limited'] as const) : []),
      ...(unguarded ? [] : (['overloaded', 'timed_out'] as const)),
    ];
    const ageing = aged(path) ?? {};
    const everywhere = [...always, ...(limited && !unguarded ? limits : []), ...Object.keys(ageing)];
    const all = { ...operation, failures: [...new Set([...operation.failures, ...more])] };
    const described = describe(all, everywhere);
    const deprecated = 'Deprecation' in ageing ? { deprecated: true } : {};
    const security = guarded ? { security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })) } : {};
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...described, ...deprecated, ...security } };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Shelf',
      version,
      description: 'Collections of records, as JSON over HTTP. A 201 means that the record is on disk.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(collections),
    paths,
    components: {
      ...(secured ? { securitySchemes } : {}),
      headers: answerHeaders,
      schemas: { ...allSchemas(collections), ...transactionSchemas(collections) },
    },
  };
}

/** `everywhere` are the headers of every answer. */
function describe(operation: Operation, everywhere: readonly string[]) {
  const { id, tag, summary, description, parameter, queries = [], headers = [], body, answers, problems } = operation;
  const codes = [...operation.failures, 'internal' as const];
  const parameters = [
    ...(parameter === undefined ? [] : [{ in: 'path', required: true, ...parameter }]),
    ...queries.map((query) => ({ in: 'query', ...query })),
    ...headers.map((header) => ({ in: 'header', ...header })),
  ];
  const responses: Record<string, unknown> = {};
  for (const { status, headers: own = [], ...answer } of answers) {
    responses[status] = { ...answer, headers: headerRefs([...own, ...everywhere]) };
  }
  for (const [status, sameStatus] of Map.groupBy(codes, (code) => failures[code].status)) {
    const response = problems
      ? failureResponse(sameStatus, 'application/problem+json', 'Problem', (code) => ({
          summary: failures[code].title,
          value: operation.failureExamples?.[code] ?? problemExample(code),
        }))
      : failureResponse(sameStatus, 'application/json', 'Error', errorExample);
    responses[status] = { ...response, headers: headerRefs([...headersOfFailures(sameStatus), ...everywhere]) };
  }
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses,
  };
}

type Example = { readonly summary: string; readonly description?: string; readonly value: unknown };

function failureResponse(
  codes: readonly FailureCode[],
  mediaType: string,
  schema: string,
  exampleOf: (code: FailureCode) => Example,
) {
  const examples = Object.fromEntries(codes.map((code) => [code, exampleOf(code)]));
  return {
    description: codes.map((code) => `${failures[code].title}.`).join(' '),
    content: { [mediaType]: { schema: refTo(schema), examples } },
  };
}

function errorExample(code: FailureCode): Example {
  const { title, hint } = failures[code];
  return { summary: title, description: hint, value: errorExamples[code] ?? { detail: sentence(code) } };
}

function tagsOf(
  collections: readonly Collection[],
): readonly { readonly name: string; readonly description: string }[] {
  return [
    ...collections
      .filter(({ contract }) => contract !== undefined)
      .map(({ name }) => ({ name, description: `The ${name} of the contract.` })),
    ...collections.map(({ name, declaration: { title, description } }) => ({
      name: `v2 ${name}`,
      description: description ?? title ?? `The ${name}, for production.`,
    })),
    { name: 'v2 transactions', description: 'Operations on several records in one commit.' },
    { name: 'v2 changes', description: 'What has changed, in order.' },
    { name: 'v1', description: 'The same operations under their version.' },
    { name: 'service', description: 'For operators and tools.' },
  ];
}
