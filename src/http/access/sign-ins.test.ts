import { expect, test } from 'bun:test';
import { Issuer, type Published } from './issuer.ts';
import { type SignIns, signInsForPage, sourcesOf } from './sign-ins.ts';

const endpoints = {
  authorization: 'https://id.example.com/auth',
  token: 'https://id.example.com/token',
  revocation: undefined,
  endSession: undefined,
};
const readable = {
  keys: { keys: [] },
  algorithms: ['RS256'],
  endpoints,
  scopes: ['openid', 'email'],
  isNamedInAnswers: false,
};

function registrationAt(published: Partial<Published> | undefined, scope?: string): SignIns['registrations'][number] {
  const issuer = new Issuer('https://id.example.com', () => Promise.reject());
  if (published !== undefined)
    issuer.adopt({ attempt: 1, published: { ...readable, ...published }, isReachable: true });
  return { issuer, client: 'shelf-console', scope };
}

const pageOf = (registration: SignIns['registrations'][number]) =>
  JSON.parse(signInsForPage({ audience: 'a', registrations: [registration] }));

test('the page knows an issuer as it is known to the server', () => {
  expect(pageOf(registrationAt({}))).toEqual({
    audience: 'a',
    issuers: [
      {
        name: 'https://id.example.com',
        client: 'shelf-console',
        scope: 'openid read write admin',
        endpoints: { authorization: endpoints.authorization, token: endpoints.token },
        algorithms: ['RS256'],
        isNamedInAnswers: false,
      },
    ],
  });
  expect(pageOf(registrationAt(undefined)).issuers).toEqual([{ name: 'https://id.example.com' }]);
});

test.each([
  [undefined, undefined, 'openid read write admin'],
  [undefined, ['openid', 'profile'], 'openid profile read write admin'],
  [undefined, ['openid', 'shelf:read', 'shelf:write', 'shelf', 'profile'], 'openid profile shelf:read shelf:write'],
  [undefined, ['write', 'read'], 'openid read write'],
  ['api://shelf/.default offline_access', ['openid', 'read'], 'openid api://shelf/.default offline_access'],
  ['openid', ['read'], 'openid'],
])('--oidc-scope %p, where the issuer lists %p: %s', (scope, scopes, asked) => {
  expect(pageOf(registrationAt({ scopes }, scope)).issuers[0].scope).toBe(asked);
});

test.each(['authorization', 'token'])('nobody signs in at an issuer without the endpoint %s', (missing) => {
  const registration = registrationAt({ endpoints: { ...endpoints, [missing]: undefined } });
  expect(pageOf(registration).issuers).toEqual([]);
  expect(sourcesOf({ audience: 'a', registrations: [registration] })).toEqual([]);
});

test('the page may fetch what answers it, and nothing else', () => {
  const registrations = [
    registrationAt({
      endpoints: { ...endpoints, revocation: 'https://id.example.com/revoke', endSession: 'https://x.example.com' },
    }),
    registrationAt({}),
    registrationAt(undefined),
    registrationAt({ endpoints: { ...endpoints, token: "https://b.example.com/t;x,'self' é?a=b;c" } }),
  ];
  expect(sourcesOf({ audience: 'a', registrations })).toEqual([
    'https://id.example.com/token',
    'https://id.example.com/revoke',
    "https://b.example.com/t%3Bx%2C'self'%20%C3%A9",
  ]);
});
