import { expect, test } from 'bun:test';
import { empty } from './reply.ts';
import type { Route } from './route.ts';
import { routeTable } from './table.ts';

const route = (path: string, method: Route['method'] = 'GET'): Route => ({
  method,
  sight: 'open',
  path,
  handle: () => empty(204),
});
const match = routeTable([
  route('/a'),
  route('/a/{rest...}'),
  route('/a/-/file'),
  route('/b/{id}'),
  route('/b/{id}', 'DELETE'),
]);
const found = (path: string, method = 'GET') => {
  const one = match(method, path);
  return one.kind === 'route' ? one.route.path : one.kind;
};

test('a literal path comes before what is below its folder', () => {
  expect(found('/a')).toBe('/a');
  expect(found('/a/-/file')).toBe('/a/-/file');
  expect(['/a/', '/a/x', '/a/x/y/z', '/a/-/other', '/a/%37'].map((path) => found(path))).toEqual(
    Array(5).fill('/a/{rest...}'),
  );
  expect(found('/ab')).toBe('nothing');
});

test('a parameter is one segment', () => {
  expect(found('/b/7')).toBe('/b/{id}');
  expect(found('/b/')).toBe('nothing');
  expect(found('/b/7/8')).toBe('nothing');
});

test('another method', () => {
  expect(match('POST', '/b/7')).toEqual({
    kind: 'other methods',
    collection: undefined,
    allow: 'GET, HEAD, DELETE, OPTIONS',
    patchTypes: [],
  });
  expect(match('POST', '/a/x')).toEqual({
    kind: 'other methods',
    collection: undefined,
    allow: 'GET, HEAD, OPTIONS',
    patchTypes: [],
  });
});
