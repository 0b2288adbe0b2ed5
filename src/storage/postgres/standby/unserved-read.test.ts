import { expect, test } from 'bun:test';
import { Unanswered } from '../connect/errors.ts';
import { UnservedRead, unservedRead } from './unserved-read.ts';

const serverError = (errno: string) =>
  Object.assign(new Error('canceled'), { errno, code: 'ERR_POSTGRES_SERVER_ERROR' });

test('a read that is cancelled or slow says nothing about other reads', () => {
  for (const state of ['40001', '40P01', '57014', '22003'])
    expect(unservedRead(serverError(state)).reason).toBeUndefined();
  expect(unservedRead(new Unanswered('no answer in time')).reason).toBeUndefined();
});

test('a standby that stops, refuses connections or lacks a table is left out', () => {
  for (const error of [serverError('57P01'), serverError('53300'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }])
    expect(unservedRead(error).reason).toStartWith('it does not answer (');
  expect(unservedRead(serverError('42P01')).reason).toBe('it lacks the tables of this version');
  const lags = new UnservedRead('it lags');
  expect(unservedRead(lags)).toBe(lags);
});
