/** The OpenAPI document, derived from the routes that serve. */
import Type from 'typebox';
import type { Scope } from '../domain/caller.ts';
import type { Collection } from '../domain/collection.ts';
import { type FailureCode, failures, sentence } from '../domain/errors.ts';
import { recordShape } from '../domain/record.ts';
import { problemExample, problemSchema } from './problem.ts';
import { jsonContent, type Operation, type Route, unchanged } from './route.ts';
import { keptDocument } from './tagged.ts';

export type Tag = { readonly name: string; readonly description: string };
export type Info = {
  readonly version: string;
  readonly tags: readonly Tag[];
  readonly collections: readonly Collection[];
  /** Whether anybody can be told that they ask too much. */
  readonly limited: boolean;
  /** What a key must be good for; undefined where none is needed. */
  needs(route: Route): Scope | undefined;
};

const errorSchema = Type.Object({
  detail: Type.String({ description: 'One sentence that a person can act on.' }),
  errors: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
      description: 'Every problem with the body; the field is empty where it is the body as a whole.',
    }),
  ),
});

/** What to show in the documentation where a failure says more than its own sentence, or less. */
const errorExamples: Partial<Record<FailureCode, unknown>> = {
  not_found: { detail: 'Not found' },
  malformed_json: {
    detail: 'The body is empty: send a JSON object.',
    errors: [{ field: '', message: 'is empty: send a JSON object' }],
  },
  invalid_body: { detail: 'This is not valid: name is required.', errors: [{ field: 'name', message: 'is required' }] },
};

export function openapiRoute(routes: () => readonly Route[], info: Info): Route {
  const document = keptDocument('application/json', () => JSON.stringify(openapi(routes(), info)));
  return {
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    operation: {
      id: 'getOpenapi',
      tag: 'service',
      summary: 'This document',
      answers: [
        { status: 200, description: 'OpenAPI 3.1.', content: jsonContent(Type.Object({}), { openapi: '3.1.0' }) },
        unchanged,
      ],
      failures: ['precondition_failed'],
    },
    handle: ({ request }) => document(request),
  };
}

/** Either will do. */
const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or a token where tokens are taken.' },
  key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
};

function openapi(routes: readonly Route[], { version, tags, collections, limited, needs }: Info) {
  const paths: Record<string, Record<string, unknown>> = {};
  let secured = false;
  for (const route of routes) {
    const { method, path, operation, access } = route;
    if (operation === undefined) continue;
    const guarded = needs(route) !== undefined;
    secured ||= guarded;
    const always = access === 'always';
    const more: FailureCode[] = [
      ...(guarded ? (['unauthorized', 'forbidden'] as const) : []),
      ...(method === 'GET' ? [] : (['cross_origin'] as const)),
      ...(limited && !always ? (['rate_limited'] as const) : []),
      ...(always ? [] : (['overloaded', 'timed_out'] as const)),
    ];
    const described = describe({ ...operation, failures: [...new Set([...operation.failures, ...more])] });
    const security = guarded ? { security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })) } : {};
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...described, ...security } };
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
    tags,
    paths,
    components: {
      ...(secured ? { securitySchemes } : {}),
      schemas: {
        ...Object.fromEntries(collections.map(({ schemaName, schema }) => [schemaName, schema])),
        ...Object.fromEntries(
          collections.map((collection) => [`${collection.schemaName}Record`, recordShape(collection).schema]),
        ),
        Error: errorSchema,
        Problem: problemSchema,
      },
    },
  };
}

function describe({
  id,
  tag,
  summary,
  parameter,
  queries = [],
  headers = [],
  body,
  answers,
  failures: codes,
  problems,
}: Operation) {
  const parameters = [
    ...(parameter === undefined ? [] : [{ in: 'path', required: true, ...parameter }]),
    ...queries.map((query) => ({ in: 'query', ...query })),
    ...headers.map((header) => ({ in: 'header', ...header })),
  ];
  const responses: Record<string, unknown> = {};
  for (const { status, ...answer } of answers) responses[status] = answer;
  for (const [status, alike] of Map.groupBy([...codes, 'internal' as const], (code) => failures[code].status)) {
    responses[status] = problems ? problemResponse(alike) : failureResponse(alike);
  }
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses,
  };
}

function failureResponse(codes: readonly FailureCode[]) {
  const examples = codes.map((code) => {
    const { title, hint } = failures[code];
    return [
      code,
      { summary: title, description: hint, value: errorExamples[code] ?? { detail: sentence(code) } },
    ] as const;
  });
  return {
    description: codes.map((code) => `${failures[code].title}.`).join(' '),
    content: {
      'application/json': {
        schema: Type.Ref('#/components/schemas/Error'),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function problemResponse(codes: readonly FailureCode[]) {
  const examples = codes.map((code) => [code, { summary: failures[code].title, value: problemExample(code) }] as const);
  return {
    description: codes.map((code) => `${failures[code].title}.`).join(' '),
    content: {
      'application/problem+json': {
        schema: Type.Ref('#/components/schemas/Problem'),
        examples: Object.fromEntries(examples),
      },
    },
  };
}
