import { expect, test } from 'bun:test';
import { table } from './report.ts';
import type { Work } from './work.ts';

const work: Work = { name: 'get', title: 'GET one', script: () => undefined, floors: { go: 1.3, nginx: 0.5 } };
const row = (peer: string, perSecond: number) => ({
  work: 'get',
  peer,
  perSecond,
  spread: 0,
  p50: 1,
  p99: 2,
  errors: 0,
  rssMb: 10,
  cpu: 1,
});
const rows = [row('shelf', 1000), row('shelf 2 threads', 1400), row('go', 1000), row('nginx', 2000)];

test('a peer is compared with Shelf, and with the floor', () => {
  const text = table([work], rows, {});
  expect(text).toMatch(/^ {2}go .* 1\.00x {2}\(floor 1\.3: NOT reached\)$/m);
  expect(text).toMatch(/^ {2}nginx .* 0\.50x {2}\(floor 0\.5: reached\)$/m);
  expect(text).toMatch(/^ {2}shelf .* 0 {3}$/m);
});

test('a peer is compared with a variant of Shelf as well, and the variant with Shelf', () => {
  const text = table([work], rows, {}, ['shelf 2 threads']);
  expect(text).toMatch(
    /^ {2}go .* 1\.00x {2}\(floor 1\.3: NOT reached\) {2}shelf 2 threads: 1\.40x {2}\(floor 1\.3: reached\)$/m,
  );
  expect(text).toMatch(/^ {2}shelf 2 threads .* 0\.71x$/m);
});
