/** URLs of one and of several servers. */
import { expect, test } from 'bun:test';
import { addressOf, serversOf } from './servers.ts';

test.each([
  ['postgres://host/name', ['postgres://host/name']],
  [
    'postgres://user:p%2Css@one,two:5433,[::1]:5434/name?sslmode=require',
    [
      'postgres://user:p%2Css@one/name?sslmode=require',
      'postgres://user:p%2Css@two:5433/name?sslmode=require',
      'postgres://user:p%2Css@[::1]:5434/name?sslmode=require',
    ],
  ],
  ['postgres://user:a,b@one/name', ['postgres://user:a,b@one/name']],
  ['postgres://one,two/name?target_session_attrs=primary', ['postgres://one/name', 'postgres://two/name']],
  ['postgres://one/name?target_session_attrs=primary&sslmode=prefer', ['postgres://one/name?sslmode=prefer']],
  ['postgres://one/name?sslmode=prefer&target_session_attrs=primary', ['postgres://one/name?sslmode=prefer']],
  ['sqlite:a,b.db', ['sqlite:a,b.db']],
])('%s names these servers: %p', (url, servers) => {
  expect(serversOf(url)).toEqual(servers);
});

test('a server is shown as its host and port', () => {
  expect(serversOf('postgres://user:secret@one,[::1]:5434/name').map(addressOf)).toEqual(['one', '[::1]:5434']);
});
