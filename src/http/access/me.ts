/** GET /api/v2/me: what the caller may do, so that a client offers nothing that would be refused. */
import Type from 'typebox';
import { anybody, type Caller, type Scope, scopes } from '../../domain/caller.ts';
import { jsonContent, readFailures } from '../route/operation.ts';
import { privateJson } from '../route/reply.ts';
import type { Route } from '../route/route.ts';
import { oneOf } from '../route/schemas.ts';
import { type AuthMode, authModes } from './auth.ts';

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
});

/** The scope of a caller without a key. */
const openScopes: Readonly<Record<AuthMode, Scope | null>> = { off: 'admin', write: 'read', all: null };

export function meRoute(auth: AuthMode): Route {
  function rightsOf(caller: Caller) {
    if (caller === anybody) return { auth, name: null, scope: openScopes[auth], collections: null };
    const { name, scope, collections } = caller;
    return { auth, name, scope: scope ?? null, collections: collections ?? null };
  }

  return {
    method: 'GET',
    sight: 'own rights',
    path: '/api/v2/me',
    access: 'anybody',
    operation: {
      id: 'getMeV2',
      tag: 'service',
      summary: 'The rights of the caller: its name, scope and collections',
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
