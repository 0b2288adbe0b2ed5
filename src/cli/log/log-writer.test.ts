import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { writeBatch } from './line-queue.ts';
import { logOverMain, logWriter } from './log-writer.ts';

/** A stream whose reader is stuck until `release`. */
function stuck() {
  const written: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = new Writable({
    // A copy, as the standard output of the runtime makes one.
    write: (chunk: Buffer, _, done) => {
      written.push(chunk.toString());
      promise.then(() => done());
    },
  });
  return { stream, written, release: resolve };
}

const noted = (message: string) => ({ level: 'info', event: 'storage', message }) as const;

test('lines come out whole and in order', async () => {
  const { stream, written, release } = stuck();
  release();
  const log = logWriter('json', stream);
  for (let n = 0; n < 1700; n++) {
    if (n % 700 === 0) log.write(`{"message":"${n}"}\n`);
    else log.log(noted(String(n)));
  }
  await log.flush();
  const lines = written.join('').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(Array.from({ length: 1700 }, (_, n) => String(n)));
});

test('standard output has each line whole and in order, however slowly a pipe is read', async () => {
  const count = 40_000;
  const script = `
    const { logWriter } = await import(${JSON.stringify(join(import.meta.dir, 'log-writer.ts'))});
    const log = logWriter('json', process.stdout);
    const usual = { level: 'info', event: 'request', method: 'GET', path: '/', status: 200, bytes: 1, ms: 1, client: '::1' };
    for (let n = 0; n < ${count}; n++) {
      log.log({ ...usual, request_id: String(n) });
      if (n % 1000 === 0) await Bun.sleep(0);
    }
    await log.written();
    await log.flush();`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of child.stdout) {
    text += decoder.decode(part, { stream: true });
    await Bun.sleep(0);
  }
  const ids = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).request_id);
  expect(ids).toEqual(Array.from({ length: count }, (_, n) => String(n)));
});

test('a stuck reader costs bounded memory, and then gets the number of dropped lines', async () => {
  const { stream, written, release } = stuck();
  const log = logWriter('json', stream);
  const line = `${'x'.repeat(1023)}\n`;
  log.write(line);
  while (written.length === 0) await Bun.sleep(0);
  for (let n = 0; n < 20_000; n++) log.log(noted('x'.repeat(1000)));
  release();
  await log.flush();
  const lines = written.join('').trimEnd().split('\n');
  expect(lines.length).toBeLessThan(9000);
  const last = JSON.parse(lines.at(-1) ?? '');
  expect(last.event).toBe('log lines dropped');
  expect(last.count).toBe(20_000 - (lines.length - 2));
});

test('lines that wait do not keep the texts that they were cut from', async () => {
  const { stream, release } = stuck();
  const log = logWriter('json', stream);
  const used = () => {
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const about = { request_id: 'r1', method: 'GET', status: 200, bytes: 39, ms: 0.42, client: '::1' };
  const request = { level: 'info', event: 'request', ...about } as const;
  const before = used();
  for (let n = 0; n < 10_000; n++) {
    const head = Buffer.alloc(16_000, String(n)).toString('latin1');
    log.log({ ...request, path: head.slice(100, 200) });
  }
  // All of them have 160 MB, and their lines one.
  expect(used() - before).toBeLessThan(50_000_000);
  release();
  await log.flush();
});

test('a batch of another thread is dropped whole, and its lines are counted', async () => {
  const { stream, written, release } = stuck();
  const log = logWriter('json', stream);
  log.write('first\n');
  while (written.length === 0) await Bun.sleep(0);
  log.write(`${'x'.repeat(9 * 1024 * 1024)}\n`);
  writeBatch(log, Buffer.from('a\nb\nc\n'));
  release();
  await log.flush();
  expect(JSON.parse(written.join('').trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ count: 3 });
});

test('another thread has one batch at the main thread, and drops lines while that one is stuck', async () => {
  const { stream, written, release } = stuck();
  const log = logWriter('json', stream);
  let batches = 0;
  const other = logOverMain('json', {
    writeLog(batch) {
      batches++;
      return writeBatch(log, batch);
    },
  });
  const line = `${'x'.repeat(1023)}\n`;
  other.write(line);
  while (written.length === 0) await Bun.sleep(0);
  for (let n = 0; n < 20_000; n++) other.write(line);
  expect(batches).toBe(1);
  release();
  await other.flush();
  const lines = written.join('').trimEnd().split('\n');
  expect(lines.length).toBeLessThan(9000);
  expect(JSON.parse(lines.at(-1) ?? '').count).toBe(20_000 - (lines.length - 2));
});

test('the batch of another thread does not wait for later lines', async () => {
  const written: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      written.push(chunk.toString());
      // There is always one more line, until the batch is known to be written.
      if (!isDone) log.write('own\n');
      setImmediate(done);
    },
  });
  let isDone = false;
  const log = logWriter('json', stream);
  await writeBatch(log, Buffer.from('other\n'));
  isDone = true;
  await log.flush();
  expect(written[0]).toBe('other\n');
});

test('a reader that goes away does not stop the writer', async () => {
  const stream = new Writable({
    write: (_chunk, _, done) => setImmediate(() => done(new Error('EPIPE'))),
    highWaterMark: 1,
  });
  const log = logWriter('json', stream);
  for (const line of ['first\n', 'second\n']) {
    log.write(line);
    await log.written();
  }
  expect(stream.listenerCount('error')).toBe(1);
});

test('a reader that is stuck does not stop a flush', async () => {
  const log = logWriter('json', stuck().stream);
  log.write(`${'x'.repeat(100_000)}\n`);
  await log.flush();
});
