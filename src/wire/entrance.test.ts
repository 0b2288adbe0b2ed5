import { expect, test } from 'bun:test';
import type { Failure } from '../domain/errors.ts';
import type { Reply } from './answer/reply.ts';
import { Entrance } from './entrance.ts';
import type { Holdable } from './handlers.ts';
import type { Incoming } from './request/incoming.ts';

const reply = (body: string): Reply => ({ status: 200, headers: {}, body, size: body.length });
const handlersOf = (name: string, answered: string[] = []): Holdable => ({
  answer(request) {
    answered.push(`${name} ${request.target}`);
    return reply(name);
  },
  tooLate: ({ target }) => reply(`${target} is too late`),
  refuse: ({ code }: Failure) => reply(code),
  handshakeFailed() {},
  report() {},
});
function requestFor(target: string) {
  const leaving = new AbortController();
  return { request: { target, signal: leaving.signal } as unknown as Incoming, leave: () => leaving.abort() };
}

test('requests are held, and given to the next handlers in their order', () => {
  const answered: string[] = [];
  const entrance = new Entrance(handlersOf('old', answered));
  const sent: unknown[] = [];
  const ask = (target: string) => entrance.answer(requestFor(target).request, ({ body }) => sent.push(body));
  expect(ask('/1')).toMatchObject({ body: 'old' });
  entrance.hold(({ target }) => target === '/healthz');
  expect(ask('/healthz')).toMatchObject({ body: 'old' });
  expect([ask('/2'), ask('/3')].map((answer) => typeof answer)).toEqual(['function', 'function']);
  expect(sent).toEqual([]);
  entrance.release(handlersOf('next', answered));
  expect(sent).toEqual(['next', 'next']);
  expect(ask('/4')).toMatchObject({ body: 'next' });
  expect(answered).toEqual(['old /1', 'old /healthz', 'next /2', 'next /3', 'next /4']);
});

test('a request whose time is over, or whose client has left, is not given on', () => {
  const answered: string[] = [];
  const entrance = new Entrance(handlersOf('old', answered));
  entrance.hold(() => false);
  const [slow, gone] = [requestFor('/slow'), requestFor('/gone')];
  const late = entrance.answer(slow.request, () => answered.push('sent'));
  entrance.answer(gone.request, () => answered.push('sent'));
  gone.leave();
  expect(typeof late === 'function' && late()).toMatchObject({ body: '/slow is too late' });
  entrance.release();
  expect(answered).toEqual([]);
});

test('a held request that takes time is late by the handlers that got it', () => {
  const entrance = new Entrance(handlersOf('old'));
  entrance.hold(() => false);
  const late = entrance.answer(requestFor('/1').request, () => {});
  entrance.release({ ...handlersOf('next'), answer: () => () => reply('next is late') });
  expect(typeof late === 'function' && late()).toMatchObject({ body: 'next is late' });
});
