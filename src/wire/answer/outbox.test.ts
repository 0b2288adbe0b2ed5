import { expect, test } from 'bun:test';
import type { Bytes } from '../../domain/bytes.ts';
import { Outbox } from './outbox.ts';

/** An outbox whose socket accepts `room` bytes; a test adds room by setting `socket.room`. */
function open(room: number, scratch = Buffer.alloc(64)) {
  let sent = '';
  const socket = {
    room,
    write(data: string | Bytes, from = 0, size = data.length) {
      const bytes = Buffer.from(data as string).subarray(from, from + Math.min(size, socket.room));
      socket.room -= bytes.length;
      sent += bytes.toString('latin1');
      return bytes.length;
    },
  };
  const unsent: number[] = [];
  const out = new Outbox(socket as never, scratch, () => unsent.push(out.unsent));
  return { out, socket, unsent, sent: () => sent };
}

test('data is sent in order, with every kind of write and however little the socket accepts', () => {
  for (let room = 0; room < 40; room++) {
    const { out, socket, sent } = open(room);
    out.writeText('<one>', 5);
    out.writeBoth('<two', Buffer.from(' and two>'));
    out.write(Buffer.from('<three>'));
    out.writeBoth('<four', Buffer.from(`${'.'.repeat(80)}>`));
    while (out.unsent > 0) {
      socket.room = room + 1;
      out.drain();
    }
    expect(sent()).toBe(`<one><two and two><three><four${'.'.repeat(80)}>`);
  }
});

test('the callback runs when the unsent bytes increase, and when there are none left', () => {
  const { out, socket, unsent } = open(3);
  out.writeText('abcde', 5);
  out.write(Buffer.from('fgh'));
  expect(unsent).toEqual([2, 5]);
  socket.room = 5;
  out.drain();
  expect(unsent).toEqual([2, 5, 0]);
});

test('a client that reads nothing between two retries is too slow', () => {
  const { out, socket } = open(3);
  out.writeText('abcdef', 6);
  expect(out.retry()).toBeTrue();
  socket.room = 1;
  expect(out.retry()).toBeTrue();
  expect(out.retry()).toBeTrue();
  expect(out.retry()).toBeFalse();
});

test('whenEmpty calls back when everything is sent, and when the connection is closed', () => {
  const { out, socket } = open(0);
  const called: string[] = [];
  out.whenEmpty(() => called.push('at once'));
  out.writeText('a', 1);
  out.whenEmpty(() => called.push('drained'));
  expect(called).toEqual(['at once']);
  socket.room = 1;
  out.drain();
  out.writeText('b', 1);
  out.whenEmpty(() => called.push('gone'));
  out.close();
  expect(called).toEqual(['at once', 'drained', 'gone']);
  expect({ closed: out.closed, unsent: out.unsent }).toEqual({ closed: true, unsent: 0 });
});

test('unsent bytes do not change when another connection uses the shared scratch buffer', () => {
  const scratch = Buffer.alloc(64);
  const slow = open(3, scratch);
  const next = open(64, scratch);
  slow.out.writeBoth('<slow', Buffer.from(' answer>'));
  next.out.writeBoth('<NEXT', Buffer.from(' ANSWER, WHICH IS LONGER>'));
  slow.socket.room = 64;
  slow.out.drain();
  expect([slow.sent(), next.sent()]).toEqual(['<slow answer>', '<NEXT ANSWER, WHICH IS LONGER>']);
});

test('whenEmpty calls back once, also if more is written afterwards', () => {
  const { out, socket } = open(0);
  let calls = 0;
  out.writeText('a', 1);
  out.whenEmpty(() => calls++);
  socket.room = 1;
  out.drain();
  expect(calls).toBe(1);
  out.writeText('b', 1);
  socket.room = 1;
  out.drain();
  out.close();
  expect(calls).toBe(1);
});
