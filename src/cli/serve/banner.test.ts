import { expect, test } from 'bun:test';
import { exposureWarning } from './banner.ts';

test('a server that other machines reach without authentication says what that means, and what to do', () => {
  expect(exposureWarning('0.0.0.0')).toBe(
    'Warning: listening on 0.0.0.0 without authentication: every client that can connect can read and change ' +
      'everything. Set --auth to require API keys, or put the server behind a proxy that authenticates.\n',
  );
});
