import { expect, test } from 'bun:test';
import { newProcessState } from '../../threads/process-state.ts';
import { SpoolLimits } from './spool-limits.ts';

const limits = { bulks: 4, lists: 2, spoolBytes: 2 ** 33 };

test('the rooms of several threads share their limits', () => {
  const state = newProcessState();
  const [one, other] = [new SpoolLimits(limits, state), new SpoolLimits(limits, state)];
  const overloaded = expect.objectContaining({ code: 'overloaded' });
  const leave = one.enter('bulk', 'first');
  other.enter('bulk', 'first');
  other.enter('bulk', 'first');
  expect(() => one.enter('bulk', 'first')).toThrow(overloaded);
  one.enter('bulk', 'second');
  expect(() => other.enter('bulk', 'third')).toThrow(overloaded);
  leave();
  other.enter('bulk', 'third');
  one.enter('list', 'first');

  one.of('first').spool(2 ** 33 - 1024, 0);
  expect(() => other.of('second').spool(1025, 0)).toThrow(
    'the spool is full: 8388607 of 8388608 KiB in use; raise --max-spool',
  );
  other.of('second').spool(1024, 0);
  one.of('first').giveBack(2 ** 33 - 1024);
  other.of('second').spool(1025, 1024);
});

test('what stands for many clients may have all', () => {
  const spoolLimits = new SpoolLimits(limits);
  for (let n = 0; n < limits.bulks; n++) spoolLimits.enter('bulk', undefined);
  for (let n = 0; n < 4; n++) spoolLimits.of(undefined).spool(limits.spoolBytes / 4, 0);
});

test('one client gets three quarters of the spool, in any threads, and one file alone may be larger', () => {
  const state = newProcessState();
  const [one, other] = [new SpoolLimits(limits, state), new SpoolLimits(limits, state)];
  const quarter = limits.spoolBytes / 4;
  one.of('first').spool(2 * quarter, 0);
  one.of('first').spool(quarter, 2 * quarter);
  expect(() => other.of('first').spool(1, 0)).toThrow(
    'one client has its share of the spool: 6291456 of 8388608 KiB in use; raise --max-spool',
  );
  other.of('second').spool(1, 0);
  one.of('first').spool(1, 3 * quarter);
  one.of('first').giveBack(quarter + 1);
  other.of('first').spool(1, 0);
});
