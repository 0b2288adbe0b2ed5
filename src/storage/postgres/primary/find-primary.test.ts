/** The choice among servers that have answered; test/engines/database-servers.test.ts asks real ones. */
import { expect, test } from 'bun:test';
import { NoPrimary } from '../connect/errors.ts';
import { newestPrimary, noPrimary, type PrimaryRole, type Role, timelineOf } from './find-primary.ts';

const server = (name: string) => `postgres://user:secret@${name}/shelf`;
const primary = (name: string, timeline: number, system = 'one'): PrimaryRole => ({
  kind: 'primary',
  server: server(name),
  timeline,
  system,
  isSynchronous: true,
});
const standby = (name: string): Role => ({ kind: 'standby', server: server(name) });
const silent = (name: string, errno?: string): Role => ({
  kind: 'silent',
  server: server(name),
  error: Object.assign(new Error(`about ${name}`), { errno }),
});

test('the name of a WAL segment begins with its timeline', () => {
  expect(timelineOf('0000001F0000000000000001')).toBe(31);
});

test('of two servers that accept writes, the one on the newer timeline is the primary', () => {
  const roles = [standby('a'), primary('b', 4), primary('c', 5)];
  expect(newestPrimary(roles)?.server).toBe(server('c'));
  expect(newestPrimary(roles.toReversed())?.server).toBe(server('c'));
});

test('a server on an earlier timeline than a known one was the primary before', () => {
  const known = primary('b', 5);
  expect(newestPrimary([primary('a', 4)], known)).toBeUndefined();
  expect(newestPrimary([primary('b', 5)], known)?.timeline).toBe(5);
  // Another database cluster, for example a restored one, has timelines of its own.
  expect(newestPrimary([primary('a', 1, 'another')], known)?.timeline).toBe(1);
});

test('the reason names the servers for the operator, not for clients, and never a password', () => {
  const reason = noPrimary([standby('a'), silent('b'), primary('c', 3), standby('d')]) as NoPrimary;
  expect(reason).toBeInstanceOf(NoPrimary);
  expect(reason.message).toBe(
    'no server accepts writes: a is a standby, b does not answer (about b), c was the primary before another server, d is a standby',
  );
  expect(reason.reason).toBe('No database server accepts writes (2 standby, 1 without an answer, 1 former primary).');
});

test('if no retry can help on any server, the reason is the error of the first', () => {
  expect(noPrimary([silent('a', '28P01'), silent('b', '28P01')])).toMatchObject({ message: 'about a' });
  expect(noPrimary([silent('a', '28P01'), silent('b')])).toBeInstanceOf(NoPrimary);
  expect(noPrimary([standby('a'), silent('b', '28P01')])).toBeInstanceOf(NoPrimary);
});
