import { expect, test } from 'bun:test';
import { discoveryUrl, readDiscovery } from './discovery.ts';

const issuer = 'https://id.example.com';
const document = {
  issuer,
  jwks_uri: 'https://keys.example.com/jwks',
  id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  scopes_supported: ['openid', 'shelf:read'],
};

test.each([
  ['https://id.example.com', 'https://id.example.com/.well-known/openid-configuration'],
  ['https://id.example.com/', 'https://id.example.com/.well-known/openid-configuration'],
  ['https://id.example.com/realms/a', 'https://id.example.com/realms/a/.well-known/openid-configuration'],
])('the document of %s is at %s', (named, url) => {
  expect(discoveryUrl(named)).toBe(url);
});

test('a document', () => {
  expect(readDiscovery(issuer, document)).toEqual({
    keys: 'https://keys.example.com/jwks',
    algorithms: ['RS256', 'none', 'HS256'],
    endpoints: {
      authorization: `${issuer}/auth`,
      token: `${issuer}/token`,
      revocation: undefined,
      endSession: undefined,
    },
    scopes: ['openid', 'shelf:read'],
    isNamedInAnswers: false,
  });
});

test.each<[string, object | string | null, string]>([
  ['that is a list', [], 'is not an object'],
  ['that is null', null, 'is not an object'],
  [
    'of another issuer',
    { ...document, issuer: 'https://evil.example.com' },
    'names another issuer, "https://evil.example.com"',
  ],
  ['of the same issuer with a slash', { ...document, issuer: `${issuer}/` }, 'names another issuer'],
  ['without an issuer', { ...document, issuer: undefined }, 'names another issuer, undefined'],
  ['without keys', { ...document, jwks_uri: undefined }, 'has no jwks_uri'],
  ['with keys over http', { ...document, jwks_uri: 'http://id.example.com/jwks' }, 'jwks_uri that is not an https URL'],
  [
    'with keys of this machine',
    { ...document, jwks_uri: 'http://localhost/jwks' },
    'jwks_uri that is not an https URL',
  ],
  ['with keys in a file', { ...document, jwks_uri: 'file:///etc/passwd' }, 'jwks_uri that is not an https URL'],
  ['with keys that are a number', { ...document, jwks_uri: 7 }, 'jwks_uri that is not an https URL'],
  [
    'with a sign-in over http',
    { ...document, authorization_endpoint: 'http://id.example.com/auth' },
    'authorization_endpoint',
  ],
  ['with a script as sign-out', { ...document, end_session_endpoint: 'javascript:alert(1)' }, 'end_session_endpoint'],
  [
    'without algorithms',
    { ...document, id_token_signing_alg_values_supported: undefined },
    'has no id_token_signing_alg',
  ],
  [
    'with an algorithm that is a number',
    { ...document, id_token_signing_alg_values_supported: [1] },
    'not a list of texts',
  ],
])('a document %s is refused', (_, given, reason) => {
  expect(() => readDiscovery(issuer, given)).toThrow(reason);
});
