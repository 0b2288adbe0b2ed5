import { expect, test } from 'bun:test';
import { parseClients, parseScopes } from './values.ts';

test.each([
  ['a', ['a']],
  ['a, https://id.example.com/b', ['a', 'https://id.example.com/b']],
  ['a,', undefined],
  [',a', undefined],
  ['a,b c', undefined],
  ['', undefined],
])('clients %j: each has an id', (text, clients) => {
  expect(parseClients(text)).toEqual(clients);
});

test.each([
  ['openid', ['openid']],
  ['openid email,profile', ['openid email', 'profile']],
  ['openid,"', undefined],
  ['openid, ', undefined],
])('scopes %j: each list has one', (text, scopes) => {
  expect(parseScopes(text)).toEqual(scopes);
});
