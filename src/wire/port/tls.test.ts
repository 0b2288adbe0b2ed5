import { expect, test } from 'bun:test';
import { handshakeReason } from './tls.ts';

test.each([
  ['error:100000f0:SSL routines:OPENSSL_internal:UNSUPPORTED_PROTOCOL', 'unsupported protocol'],
  ['unable to get local issuer certificate', 'unable to get local issuer certificate'],
])('of %p the log says %p', (message, reason) => {
  expect(handshakeReason(new Error(message))).toBe(reason);
});

test('a handshake without an error has failed as well', () => {
  expect(handshakeReason(null)).toBe('the handshake failed');
});
