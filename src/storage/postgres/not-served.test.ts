import { expect, test } from 'bun:test';
import { Unanswered } from './errors.ts';
import { NotServed, notServed } from './not-served.ts';

const serverError = (errno: string) =>
  Object.assign(new Error('canceled'), { errno, code: 'ERR_POSTGRES_SERVER_ERROR' });

test('a read that is cancelled or slow says nothing about other reads', () => {
  for (const state of ['40001', '40P01', '57014', '22003'])
    expect(notServed(serverError(state)).reason).toBeUndefined();
  expect(notServed(new Unanswered('no answer in time')).reason).toBeUndefined();
});

test('a standby that stops, refuses connections or lacks a table is left out', () => {
  for (const error of [serverError('57P01'), serverError('53300'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }])
    expect(notServed(error).reason).toStartWith('it does not answer (');
  expect(notServed(serverError('42P01')).reason).toBe('it lacks the tables of this version');
  const lags = new NotServed('it lags');
  expect(notServed(lags)).toBe(lags);
});
