import { expect, test } from 'bun:test';
import { progressOn } from './progress.ts';

function screen(isTTY: boolean) {
  const lines: string[] = [];
  let time = 1000;
  const progress = progressOn({ isTTY, write: (text) => lines.push(text) }, 'Importing books', 'record', () => time);
  return { lines, progress, wait: (ms: number) => (time += ms) };
}

test('a terminal gets one line that is rewritten, with the rate and the time left', () => {
  const { lines, progress, wait } = screen(true);
  wait(2000);
  progress.at(4000, 1_000_000);
  wait(100);
  progress.at(4100, 1_000_000);
  wait(100);
  progress.at(4400, 1_000_000);
  progress.end();
  progress.end();
  expect(lines).toEqual([
    '\r\u001b[KImporting books: 4,000 of 1,000,000 records, 2,000 a second, 8 min 18 s left',
    '\r\u001b[KImporting books: 4,400 of 1,000,000 records, 2,000 a second, 8 min 18 s left',
    '\r\u001b[K',
  ]);
});

test('elsewhere a plain line follows from time to time', () => {
  const { lines, progress, wait } = screen(false);
  progress.at(0);
  wait(9999);
  progress.at(100);
  wait(1);
  progress.at(20_000);
  wait(5000);
  progress.at(30_000, 30_000);
  wait(5000);
  progress.at(30_000, 30_000);
  progress.end();
  expect(lines).toEqual([
    'Importing books: 20,000 records, 2,000 a second\n',
    'Importing books: 30,000 of 30,000 records, 1,500 a second\n',
  ]);
});

test('without a total the share of a file gives the time left', () => {
  const { lines, progress, wait } = screen(true);
  wait(2000);
  progress.at(4000, { share: 0.25 });
  expect(lines).toEqual(['\r\u001b[KImporting books: 4,000 records (25 %), 2,000 a second, 6 s left']);
});
