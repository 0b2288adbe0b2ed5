import { expect, test } from 'bun:test';
import { newProcessState } from '../threads/process-state.ts';
import { Room } from './room.ts';

const limits = { bulks: 4, lists: 2, spoolBytes: 2 ** 33 };

test('the rooms of several threads share their limits', () => {
  const state = newProcessState();
  const [one, other] = [new Room(limits, state), new Room(limits, state)];
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

  one.spool(2 ** 33 - 10);
  expect(() => other.spool(11)).toThrow(
    'the spool is full: 8589934582 of 8589934592 bytes in use, 11 more needed; raise --max-spool',
  );
  other.spool(10);
  one.giveBack(2 ** 33 - 10);
  other.spool(11);
});
