import { expect, test } from 'bun:test';
import type { Incoming } from '../../wire/request/incoming.ts';
import {
  clientAddress,
  connectionClient,
  isLoopback,
  networkOf,
  parseRanges,
  requestClient,
} from './client-address.ts';

const from = (remoteAddress: string, forwarded: string | null) =>
  ({ peer: { address: remoteAddress, overLimit: false }, header: () => forwarded }) as unknown as Incoming;

test.each([
  ['10.0.0.0/8,::1', 2],
  ['127.0.0.1', 1],
  ['2001:db8::/32, 192.168.1.1', 2],
])('%s is a list of ranges', (text, count) => {
  expect(parseRanges(text)).toHaveLength(count);
});

test.each(['', 'nonsense', '10.0.0.0/33', '10.0.0.0/8/8', '::1/129', '10.0.0.1,', 'example.com', '10.0.0.0/x'])(
  '%j is not a list of ranges',
  (text) => {
    expect(parseRanges(text)).toBeUndefined();
  },
);

test.each([
  ['no proxy is trusted', '', '1.2.3.4', '9.9.9.9', '1.2.3.4'],
  ['the peer is not trusted', '10.0.0.0/8', '1.2.3.4', '9.9.9.9', '1.2.3.4'],
  ['the peer is trusted', '10.0.0.0/8', '10.0.0.1', '9.9.9.9', '9.9.9.9'],
  ['the client forges entries', '10.0.0.0/8', '10.0.0.1', '6.6.6.6, 9.9.9.9', '9.9.9.9'],
  ['the client forges a trusted entry', '10.0.0.0/8', '10.0.0.1', '10.6.6.6, 9.9.9.9', '9.9.9.9'],
  ['there are two proxies', '10.0.0.0/8', '10.0.0.1', '9.9.9.9, 10.0.0.2', '9.9.9.9'],
  ['all are trusted', '10.0.0.0/8', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['nothing was forwarded', '10.0.0.0/8', '10.0.0.1', null, '10.0.0.1'],
  ['the entry is not an address', '10.0.0.0/8', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['there are ports', '10.0.0.0/8', '10.0.0.1', '9.9.9.9:1234', '9.9.9.9'],
  ['there are ports and IPv6', '::1', '::1', '[2001:db8::7]:1234', '2001:db8::7'],
  ['IPv4 is mapped to IPv6', '10.0.0.0/8', '::ffff:10.0.0.1', '9.9.9.9', '9.9.9.9'],
])('the client address when %s', (_, trusted, peer, forwarded, expected) => {
  expect(clientAddress(parseRanges(trusted) ?? [])(from(peer, forwarded))).toBe(expected);
});

test.each([
  ['1.2.3.4', '1.2.3.4'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['2001:0db8:0001::', '2001:db8:1:0::/64'],
])('%s is in the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['::1', true],
  ['128.0.0.1', false],
  ['::2', false],
  ['localhost', false],
])('isLoopback(%s) is %p', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['10.1.2.3', undefined],
  ['::ffff:10.1.2.3', undefined],
  ['', ''],
])('a connection from %p counts against the client %p', (address, client) => {
  expect(connectionClient(parseRanges('10.0.0.0/8,::1') ?? [])({ address, isUnix: false })).toBe(client);
});

test.each([
  ['TCP, and no proxy is trusted', '', false, '9.9.9.9', '127.0.0.1'],
  ['TCP, and the proxy names none', '127.0.0.1', false, null, '127.0.0.1'],
  ['TCP, and the proxy names one', '127.0.0.1', false, '2001:db8::7', '2001:db8:0:0::/64'],
  ['a Unix socket, and no proxy is trusted', '', true, '9.9.9.9', undefined],
  ['a Unix socket, and the proxy names none', '127.0.0.1', true, null, undefined],
  ['a Unix socket, and the proxy names one', '127.0.0.1', true, '9.9.9.9', '9.9.9.9'],
])('over %s, a request counts against the right client', (_, trusted, isUnix, forwarded, client) => {
  const ranges = parseRanges(trusted) ?? [];
  const peer = { address: '127.0.0.1', isUnix };
  expect(requestClient(ranges)({ peer, header: () => forwarded })).toBe(client);
  if (isUnix) expect(connectionClient(ranges)(peer)).toBeUndefined();
});
