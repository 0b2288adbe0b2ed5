import { expect, test } from 'bun:test';
import type { Incoming } from '../wire/request/incoming.ts';
import { ServerAttributes } from './request-attributes.ts';

test.each([
  ['id.example.com', 'id.example.com', undefined],
  ['id.example.com:8443', 'id.example.com', 8443],
  ['[::1]:8000', '::1', 8000],
  ['[::1]', '::1', undefined],
])('the host %s is the server %s', (host, address, port) => {
  const request = { head: { fields: { host } } } as Incoming;
  expect(new ServerAttributes().of(request).values).toEqual({ 'server.address': address, 'server.port': port });
});
