import { expect, test } from 'bun:test';
import { Writable } from 'node:stream';
import { logWriter } from './log-writer.ts';

/** A stream whose reader is stuck until `release`. */
function stuck() {
  const written: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _, done) => {
      written.push(chunk);
      promise.then(() => done());
    },
  });
  return { stream, written, release: resolve };
}

test('lines come out whole and in order', async () => {
  const { stream, written, release } = stuck();
  release();
  const log = logWriter(stream);
  for (let n = 0; n < 1000; n++) log.write(`${n}\n`);
  await log.flush();
  expect(written.join('')).toBe(Array.from({ length: 1000 }, (_, n) => `${n}\n`).join(''));
});

test('a stuck reader costs bounded memory, and then gets the number of dropped lines', async () => {
  const { stream, written, release } = stuck();
  const log = logWriter(stream);
  const line = `${'x'.repeat(1023)}\n`;
  log.write(line);
  while (written.length === 0) await Bun.sleep(0);
  for (let n = 0; n < 20_000; n++) log.write(line);
  release();
  await log.flush();
  const lines = written.join('').trimEnd().split('\n');
  expect(lines.length).toBeLessThan(9000);
  const last = JSON.parse(lines.at(-1) ?? '');
  expect(last.event).toBe('log lines dropped');
  expect(last.count).toBe(20_000 - (lines.length - 2));
});
