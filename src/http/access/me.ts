/** GET /api/v2/me: what the caller may do, so that a client offers nothing that would be refused. */
import Type from 'typebox';
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { claimsUsed, operations, rightsTable } from '../../domain/access/rights-table.ts';
import { anybody, type Caller, type Scope, scopes } from '../../domain/caller.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { jsonContent, readFailures } from '../route/operation.ts';
import { privateJson } from '../route/reply.ts';
import type { Route } from '../route/route.ts';
import { oneOf } from '../route/schemas.ts';
import { type AuthMode, authModes } from './auth.ts';
import { type StartedAs, startedAsSchema } from './started-as.ts';

const rightSchema = Type.Object({
  collection: Type.String(),
  operation: oneOf(operations),
  records: Type.Unsafe<string>({
    ...oneOf(['all', 'some']),
    description: 'some: those that the rule of the role allows.',
  }),
  fields: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Those that are visible, or that may be sent; null for a deletion.',
  }),
});

const meSchema = Type.Object({
  auth: Type.Unsafe<string>({
    ...oneOf(authModes),
    description: 'Requests that need a key or token: none (off), changes (write), or all.',
  }),
  name: Type.Union([Type.String(), Type.Null()], {
    description:
      'The name of the API key; for a token jwt: and its subject, or oidc:, its subject, @ and its issuer; null without one.',
  }),
  scope: Type.Union([oneOf(scopes), Type.Null()], { description: 'Null for a caller that may do nothing.' }),
  collections: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'The collections that the key is limited to; null for all. Reading is limited only if auth is all.',
  }),
  role: Type.Optional(Type.String({ description: 'Only for a caller with a role, which has no scope.' })),
  claims: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The claims of the caller that the rules of its role name.',
    }),
  ),
  rights: Type.Optional(
    Type.Array(rightSchema, { description: 'What the role may do. What has no row is not allowed.' }),
  ),
  started: Type.Optional(startedAsSchema),
});

/** The scope of a caller without a key. */
const openScopes: Readonly<Record<AuthMode, Scope | null>> = { off: 'admin', write: 'read', all: null };

/** `access` and `collections` are those of the configuration file. */
export function meRoute(
  auth: AuthMode,
  access: AccessDeclaration | undefined,
  collections: readonly Collection[],
  started: StartedAs | undefined,
): Route {
  const startedFor = (scope: Scope | null | undefined) =>
    scope === 'admin' && started !== undefined ? { started } : {};

  function rightsOf(caller: Caller) {
    if (caller === anybody)
      return { auth, name: null, scope: openScopes[auth], collections: null, ...startedFor(openScopes[auth]) };
    const { scope, collections: only } = caller;
    const name = caller.name === '' ? null : caller.name;
    return { auth, name, scope: scope ?? null, collections: only ?? null, ...inRole(caller), ...startedFor(scope) };
  }

  function inRole({ role, claims }: Caller) {
    if (role === undefined || access === undefined) return {};
    const rights = rightsTable(access, role, collections).map(
      ({ collection, operation, where, check, fields = null }) => {
        const records = where === undefined && check === undefined ? 'all' : 'some';
        return { collection, operation, records, fields };
      },
    );
    return { role, claims: claimsUsed(access, role, claims), rights };
  }

  return {
    method: 'GET',
    sight: 'own rights',
    path: '/api/v2/me',
    access: 'anybody',
    operation: {
      id: 'getMeV2',
      tag: 'service',
      summary: 'The rights of the caller: its name, scope and collections, or its role and what that may do',
      description: 'Needs no key. A key or token that is sent has to be valid.',
      problems: true,
      answers: [
        {
          status: 200,
          description: 'The rights of the key or token, or those of a caller without one.',
          content: jsonContent(meSchema, { auth: 'write', name: 'shop', scope: 'write', collections: null }),
        },
      ],
      failures: ['unauthorized', ...readFailures],
    },
    handle: ({ caller }) => privateJson(200, rightsOf(caller)),
  };
}
