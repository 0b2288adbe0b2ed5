/** Every route says how it applies the rules of a role, and the ways are these. A new route has to be added here. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { librarian, privateLibrary, privateRules } from '../../support/data/private-library.ts';
import { type RoleServer, startRoleServer } from '../../support/servers/role-server.ts';

let server: RoleServer;
beforeAll(async () => {
  server = await startRoleServer(privateLibrary, privateRules);
});
afterAll(() => server.stop());

const ways: Readonly<Record<string, readonly string[]>> = {
  records: [
    'GET /api/books',
    'POST /api/books',
    'GET /api/books/{id}',
    'DELETE /api/books/{id}',
    'GET /api/v1/books',
    'POST /api/v1/books',
    'GET /api/v1/books/{id}',
    'DELETE /api/v1/books/{id}',
    'GET /api/v2/books',
    'GET /api/v2/books/export',
    'GET /api/v2/books/summary',
    'POST /api/v2/books',
    'POST /api/v2/books/bulk',
    'GET /api/v2/books/{id}',
    'PUT /api/v2/books/{id}',
    'PATCH /api/v2/books/{id}',
    'DELETE /api/v2/books/{id}',
    'POST /api/v2/transactions',
    'GET /api/v2/changes',
    'GET /api/v2/events',
    'GET /api/v2',
  ],
  'own rights': ['POST /api/v2/events/ticket', 'GET /api/v2/me'],
  'scope only': [
    'GET /api/v2/figures',
    'GET /api/v2/keys',
    'POST /api/v2/keys',
    'GET /api/v2/keys/roles',
    'GET /api/v2/settings',
    'PUT /api/v2/settings',
    'POST /api/v2/settings/plan',
    'DELETE /api/v2/keys/{id}',
  ],
  open: [
    'GET /problems/{name}',
    'GET /theme.css',
    'GET /pages.css',
    'GET /favicon.ico',
    'GET /api',
    'GET /api/v1',
    'GET /',
    'GET /openapi.json',
    'GET /docs',
    'GET /redoc',
    'GET /shelf.schema.json',
    'GET /healthz',
    'GET /readyz',
  ],
};

test('every route is in the list with its way', () => {
  const found = server.routes
    .filter(({ collection }) => collection === undefined || collection === 'books' || collection === 'by query')
    .filter(({ path }) => !/^\/docs\/|^\/redoc\//.test(path))
    .map(({ method, path, sight }) => `${sight}: ${method} ${path}`);
  const listed = Object.entries(ways).flatMap(([way, routes]) => routes.map((route) => `${way}: ${route}`));
  expect(found.filter((one) => !listed.includes(one))).toEqual([]);
  expect(listed.filter((one) => !found.includes(one))).toEqual([]);
});

test('routes for scopes refuse a role', async () => {
  for (const { method, path } of server.routes.filter(({ sight }) => sight === 'scope only')) {
    const { status } = await server.ask(
      librarian,
      method,
      path.replace('{id}', '1'),
      method === 'POST' ? {} : undefined,
    );
    expect([method, path, status]).toEqual([method, path, 403]);
  }
});
