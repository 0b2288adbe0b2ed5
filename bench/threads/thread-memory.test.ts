import { expect, test } from 'bun:test';
import { memoryTable } from './thread-memory.ts';

test('the last column is what each thread beyond the first adds', () => {
  const table = memoryTable(1000, [
    { threads: 1, requests: 40_400, started: 76, busy: 130.4, idle: 100 },
    { threads: 2, requests: 41_000, started: 95, busy: 170, idle: 130 },
    { threads: 8, requests: 39_600, started: 150, busy: 400, idle: 240 },
  ]);
  const cells = table.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(cells[0]).toEqual(['Memory with 1,000 items, in MB: after the start, after the requests, and 10 s later']);
  expect(cells[2]).toEqual(['1', '40k', '76', '130', '100']);
  expect(cells[3]).toEqual(['2', '41k', '95', '170', '130', '30']);
  expect(cells[4]).toEqual(['8', '40k', '150', '400', '240', '20']);
});
