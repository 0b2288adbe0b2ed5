import { expect, test } from 'bun:test';
import { isUrlOf, parseIssuers } from './issuer-url.ts';

test.each([
  ['https://id.example.com', ['https://id.example.com']],
  ['https://id.example.com/', ['https://id.example.com/']],
  [
    'https://id.example.com/realms/a, https://id.example.com/realms/b',
    ['https://id.example.com/realms/a', 'https://id.example.com/realms/b'],
  ],
  ['http://127.0.0.1:8080', ['http://127.0.0.1:8080']],
  ['http://[::1]:8080/x', ['http://[::1]:8080/x']],
  ['http://localhost', ['http://localhost']],
])('%s are issuers', (text, issuers) => {
  expect(parseIssuers(text)).toEqual(issuers);
});

test.each([
  '',
  'id.example.com',
  'http://id.example.com',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'http://10.0.0.1',
  'https://user:secret@id.example.com',
  'https://id.example.com/@a',
  'https://id.example.com?a=b',
  'https://id.example.com#a',
  'https://id.example.com,',
  'https://id.example.com,https://id.example.com',
  'https://id example.com',
  'ftp://id.example.com',
  'file:///etc/passwd',
  `https://id.example.com/${'x'.repeat(200)}`,
  Array.from({ length: 17 }, (_, n) => `https://${n}.example.com`).join(','),
])('%j are no issuers', (text) => {
  expect(parseIssuers(text)).toBeUndefined();
});

const [remote, local] = ['https://id.example.com', 'http://127.0.0.1:8080'];
test.each([
  [remote, 'https://keys.example.net/jwks', true],
  [remote, 'http://id.example.com/jwks', false],
  // Another program of this machine is none of its business.
  [remote, 'http://127.0.0.1/jwks', false],
  [remote, 'https://u:p@id.example.com/jwks', false],
  [remote, 'https://*.example.com/token', false],
  [remote, 'data:application/json,{}', false],
  [remote, '/jwks', false],
  [local, 'http://localhost:8080/jwks', true],
  [local, 'http://id.example.com/jwks', false],
  [local, 'https://id.example.com/jwks', true],
])('whether %s may name %s: %p', (issuer, url, expected) => {
  expect(isUrlOf(issuer, url)).toBe(expected);
});
