import { expect, test } from 'bun:test';
import { fileBudget } from './open-files.ts';

const requestedOn = (kind: string) => ({
  limits: { maxConnections: 10_000 },
  database: { url: { kind }, connections: 10 },
});

test.each([64, 256, 1024, 4096, 20_000, 1_000_000])('all uses together fit into %d open files', (limit) => {
  for (const kind of ['sqlite', 'postgres']) {
    const { connections, overLimit, bulks, lists } = fileBudget(requestedOn(kind), limit);
    for (const part of [connections, bulks, lists]) expect(part).toBeGreaterThan(0);
    // 31 files are open without any request; with PostgreSQL, its connections as well.
    const always = kind === 'sqlite' ? 31 : 31 + 22;
    if (limit >= 128) expect(connections + overLimit + bulks + 3 * lists + always).toBeLessThan(limit);
    expect(connections).toBeLessThanOrEqual(requestedOn(kind).limits.maxConnections);
  }
});

test('without a limit of the system, --max-connections is not reduced', () => {
  const all = fileBudget(requestedOn('sqlite'), Number.POSITIVE_INFINITY);
  expect(all).toEqual({ connections: 10_000, overLimit: 100, bulks: 256, lists: 64 });
});
