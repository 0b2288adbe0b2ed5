/** The address of the client, also behind trusted proxies. */
import { BlockList, isIP } from 'node:net';
import type { Client } from '../../domain/store/client.ts';
import type { Origin, Sender } from '../../wire/request/incoming.ts';

export type Range = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** Parses addresses and CIDR ranges, separated by commas; undefined if one is invalid. */
export function parseRanges(text: string): readonly Range[] | undefined {
  const ranges = text.split(',').map((one) => {
    const [address = '', prefix, ...more] = one.trim().split('/');
    const version = isIP(address);
    const longest = version === 4 ? 32 : 128;
    const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : longest + 1;
    if (version === 0 || more.length > 0 || bits > longest) return undefined;
    return { address, prefix: bits, family: version === 4 ? ('ipv4' as const) : ('ipv6' as const) };
  });
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/**
 * X-Forwarded-For is read from its end, up to the first address that is not a trusted proxy. A peer that is not trusted is itself
 * the client.
 */
export function clientAddress(trusted: readonly Range[]): (request: Sender) => string {
  const isTrusted = trustOf(trusted);

  return (request) => {
    let client = unmapped(request.peer.address);
    if (!isTrusted(client)) return client;
    const hops = (request.header('x-forwarded-for') ?? '').split(',').map((hop) => withoutPort(hop.trim()));
    for (const hop of hops.reverse()) {
      // An entry that is not an address is not from a trusted proxy.
      if (isIP(hop) === 0) break;
      client = hop;
      if (!isTrusted(hop)) break;
    }
    return client;
  };
}

/** Undefined for a trusted proxy and for a Unix socket: these connect for many clients. */
export function connectionClient(trusted: readonly Range[]): (from: Origin) => Client {
  const isTrusted = trustOf(trusted);
  return ({ address, isUnix }) => {
    const peer = unmapped(address);
    return isUnix || isTrusted(peer) ? undefined : networkOf(peer);
  };
}

/** Undefined on a Unix socket, unless a trusted proxy names the client. */
export function requestClient(trusted: readonly Range[]): (request: Sender) => Client {
  const addressOf = clientAddress(trusted);
  return (request) => {
    const address = addressOf(request);
    return request.peer.isUnix && address === request.peer.address ? undefined : networkOf(address);
  };
}

function trustOf(trusted: readonly Range[]): (address: string) => boolean {
  if (trusted.length === 0) return () => false;
  const proxies = new BlockList();
  for (const { address, prefix, family } of trusted) proxies.addSubnet(address, prefix, family);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && proxies.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Removes the port, and the IPv6 prefix of an IPv4-mapped address. */
function withoutPort(text: string): string {
  return unmapped(/^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text);
}

function unmapped(address: string): string {
  return address.startsWith('::') ? (/^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address) : address;
}

/** Limits per client apply to this: the /64 of an IPv6 address, because one network has too many addresses to count each. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before = '', after] = address.split('::');
  const groups = before === '' ? [] : before.split(':');
  const missing = after === undefined ? 0 : 8 - groups.length - (after === '' ? 0 : after.split(':').length);
  const whole = [...groups, ...Array<string>(missing).fill('0'), ...(after ? after.split(':') : [])];
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
