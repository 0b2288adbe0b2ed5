import { expect, test } from 'bun:test';
import { OpenAnswers } from './open-answers.ts';

async function* parts() {
  yield new Uint8Array([1]);
  yield new Uint8Array([2]);
}

test('answers end before an app does, long ones with their last part', async () => {
  const open = new OpenAnswers();
  expect(await open.end(0)).toBe(0);
  open.enter();
  const long = open.sending(parts());
  let ended = false;
  const end = open.end(10_000).then((left) => {
    ended = true;
    return left;
  });
  open.leave();
  for (let read = await long.next(); !read.done; read = await long.next()) expect(ended).toBe(false);
  expect(await end).toBe(0);
});

test('a request without an answer prevents the end, and nothing is cut', async () => {
  const open = new OpenAnswers();
  open.enter();
  const long = open.sending(parts());
  expect(await open.end(1)).toBe(1);
  expect((await long.next()).done).toBe(false);
  // The one that asks for the end does not wait for itself.
  expect(await open.besides(() => open.end(1))).toBe(0);
});

test('a long answer is cut after its time: its client cannot take it for whole', async () => {
  const open = new OpenAnswers();
  const long = open.sending(parts());
  await long.next();
  expect(await open.end(1)).toBe(0);
  expect(long.next()).rejects.toThrow('was cut');
});

test('an answer whose client has left, or which failed, is not waited for', async () => {
  const open = new OpenAnswers();
  await open.sending(parts()).return?.();
  const failing = open.sending({ next: () => Promise.reject(new Error('disk')) });
  await failing.next().catch(() => {});
  const began = performance.now();
  expect(await open.end(60_000)).toBe(0);
  expect(performance.now() - began).toBeLessThan(30_000);
});
