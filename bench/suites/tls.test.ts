import { expect, test } from 'bun:test';
import { type TlsComparison, tlsClaims } from './tls.ts';

const compared = (peer: string, cpuRatio: number): TlsComparison => ({
  work: 'get',
  peer,
  ratios: [0.5],
  cpuRatios: [cpuRatio],
  perSecond: [1000, 2000],
  micros: [20, 20 * cpuRatio],
  errors: 0,
});

test('Shelf must keep the share that Go keeps, per second of processor time', () => {
  const holds = (shelf: number, go: number) => {
    const claims = tlsClaims([compared('shelf', shelf), compared('go net/http', go)]);
    expect(claims.map(({ must }) => must)).toEqual([`>= ${go * 100}.0%, as Go`, 'measured']);
    return claims.every((claim) => claim.holds);
  };
  expect(holds(0.8, 0.8)).toBe(true);
  expect(holds(0.79, 0.8)).toBe(false);
});

test('without Go it is measured and not judged', () => {
  expect(tlsClaims([compared('shelf', 0.1)])).toEqual([
    {
      title: 'get: shelf keeps over TLS',
      value: '10.0% of its plain throughput per processor second (20.0 and 2.0 µs), 50.0% as measured',
      must: 'measured',
      holds: true,
    },
  ]);
});
