import { expect, test } from 'bun:test';
import { Heartbeats, maxSilentTicks } from './heartbeats.ts';

test('a worker without a heartbeat for maxSilentTicks hangs, and is returned once', () => {
  const beats = new Heartbeats<string>();
  for (const worker of ['silent', 'slow', 'gone']) beats.heard(worker);
  beats.forget('gone');
  for (let tick = 1; tick < maxSilentTicks; tick++) expect(beats.tick()).toEqual([]);
  beats.heard('slow');
  expect(beats.tick()).toEqual(['silent']);
  for (let tick = 2; tick < maxSilentTicks; tick++) expect(beats.tick()).toEqual([]);
  expect(beats.tick()).toEqual(['slow']);
  expect(beats.tick()).toEqual([]);
});
