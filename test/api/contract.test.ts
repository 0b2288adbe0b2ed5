import { describe } from 'bun:test';
import { gzipSync } from 'bun';
import { scenarios } from '../support/servers/api.ts';

const item = (id: number | string, name = 'Lamp', price: number | string = 20) =>
  `{"id":${id},"name":"${name}","price":${price}}`;
const user = (id: number | string, name = 'Grace') => `{"id":${id},"name":"${name}"}`;
const post = (path: string, body: string) => ({ method: 'POST', path, body });
const firstItem = '{"id":1,"name":"Widget","price":9.99}';
const firstUser = '{"id":1,"name":"Ada Lovelace"}';

describe('reading', () => {
  scenarios([
    {
      name: 'a new items collection has one record',
      request: { path: '/api/items' },
      status: 200,
      body: `[${firstItem}]`,
    },
    {
      name: 'a new users collection has one record',
      request: { path: '/api/users' },
      status: 200,
      body: `[${firstUser}]`,
    },
    { name: 'one item', request: { path: '/api/items/1' }, status: 200, body: firstItem },
    { name: 'one user', request: { path: '/api/users/1' }, status: 200, body: firstUser },
    {
      name: 'a list is in insertion order, duplicates included',
      before: [post('/api/items', item(7)), post('/api/items', item(-3)), post('/api/items', item(7, 'Other'))],
      request: { path: '/api/items' },
      status: 200,
      body: `[${firstItem},${item(7)},${item(-3)},${item(7, 'Other')}]`,
    },
    {
      name: 'the first match is returned',
      before: [post('/api/items', item(7)), post('/api/items', item(7, 'Other'))],
      request: { path: '/api/items/7' },
      status: 200,
      body: item(7),
    },
    { name: 'an unknown item', request: { path: '/api/items/99' }, status: 404, body: '{"detail":"Not found"}' },
    { name: 'an unknown user', request: { path: '/api/users/99' }, status: 404, body: '{"detail":"Not found"}' },
    {
      name: 'a query string changes nothing',
      request: { path: '/api/items/1?limit=0&id=%zz' },
      status: 200,
      body: firstItem,
    },
    {
      name: 'a query string on a list changes nothing',
      request: { path: '/api/items?limit=0' },
      status: 200,
      body: `[${firstItem}]`,
    },
    { name: 'v1 lists the same items', request: { path: '/api/v1/items' }, status: 200, body: `[${firstItem}]` },
    {
      name: 'v1 and the plain path have the same records',
      before: [post('/api/v1/users', user(5))],
      request: { path: '/api/users/5' },
      status: 200,
      body: user(5),
    },
    {
      name: 'HEAD has the headers of GET',
      request: { method: 'HEAD', path: '/api/items' },
      status: 200,
      body: '',
      headers: { 'Content-Length': '39', 'Content-Type': 'application/json' },
    },
    { name: 'HEAD of an unknown item', request: { method: 'HEAD', path: '/api/items/99' }, status: 404, body: '' },
  ]);
});

describe('a body that is read on another thread, because it is large', () => {
  const filler = `"more":[${'{"a":1},'.repeat(10_000)}1]`;
  const long = 'x'.repeat(100_000);
  scenarios([
    { name: 'a long name', request: post('/api/items', item(2, long)), status: 201, body: item(2, long) },
    {
      name: 'digits beyond a double, after many dropped members',
      request: post('/api/items', `{${filler},"id":9223372036854775807,"name":"n","price":0.1}`),
      status: 201,
      body: item('9223372036854775807', 'n', 0.1),
    },
    {
      name: 'missing and mistyped fields',
      request: post('/api/items', `{${filler},"id":[1],"name":{}}`),
      status: 400,
      contains: ['id must be an integer; name must be a string; price is required'],
    },
    {
      name: 'not an object',
      request: post('/api/items', `[${'1,'.repeat(20_000)}1]`),
      status: 400,
      contains: ['must be a JSON object'],
    },
    { name: 'not JSON', request: post('/api/items', `{${filler}`), status: 400, contains: ['is not valid JSON ('] },
    {
      name: 'not UTF-8',
      request: { method: 'POST', path: '/api/items', body: new Uint8Array(50_000).fill(0xff) },
      status: 400,
      contains: ['is not valid UTF-8'],
    },
    { name: 'too deep', request: post('/api/items', '['.repeat(50_000)), status: 400, contains: ['nested too deeply'] },
  ]);
});

describe('an id in the path', () => {
  const bad = ['abc', '1.0', '1e0', '+1', '0x1', '1_0', '%20', '1%20', '%zz', '%2F', '%00', '--1', '-', '١', 'null'];
  const none = ['0', '-1', '9223372036854775807', '9223372036854775808', '-9223372036854775809', `${'9'.repeat(4000)}`];
  scenarios([
    ...bad.map((id) => ({
      name: `${id} is 400`,
      request: { path: `/api/items/${id}` },
      status: 400,
      contains: ['integer'],
    })),
    ...none.map((id) => ({
      name: `${id.slice(0, 25)} is 404`,
      request: { path: `/api/items/${id}` },
      status: 404,
      body: '{"detail":"Not found"}',
    })),
    { name: 'leading zeros are digits', request: { path: '/api/items/001' }, status: 200, body: firstItem },
    { name: 'percent-encoded digits are digits', request: { path: '/api/items/%31' }, status: 200, body: firstItem },
    {
      name: 'the path itself may be percent-encoded',
      request: { path: '/%61pi/item%73/1' },
      status: 200,
      body: firstItem,
    },
    {
      name: 'the smallest id there is',
      before: [post('/api/items', item('-9223372036854775808'))],
      request: { path: '/api/items/-9223372036854775808' },
      status: 200,
      body: item('-9223372036854775808'),
    },
  ]);
});

describe('creating', () => {
  scenarios([
    {
      name: 'an item',
      request: post('/api/items', item(7)),
      status: 201,
      body: item(7),
      after: { '/api/items': `[${firstItem},${item(7)}]` },
    },
    {
      name: 'a user',
      request: post('/api/users', user(7)),
      status: 201,
      body: user(7),
      after: { '/api/users': `[${firstUser},${user(7)}]` },
    },
    {
      name: 'a duplicate id is appended',
      request: post('/api/items', item(1)),
      status: 201,
      body: item(1),
      after: { '/api/items': `[${firstItem},${item(1)}]` },
    },
    {
      name: 'unknown fields are dropped',
      request: post('/api/users', '{"id":2,"name":"N","admin":true,"__proto__":{"x":1}}'),
      status: 201,
      body: '{"id":2,"name":"N"}',
    },
    {
      name: 'the last of duplicate keys is used',
      request: post('/api/users', '{"id":2,"name":"a","id":3,"name":"b"}'),
      status: 201,
      body: '{"id":3,"name":"b"}',
    },
    { name: '1.0 is an integer', request: post('/api/users', user('1.0')), status: 201, body: user(1) },
    { name: '12e1 is an integer', request: post('/api/users', user('12e1')), status: 201, body: user(120) },
    {
      name: 'the largest id there is',
      request: post('/api/users', user('9223372036854775807')),
      status: 201,
      body: user('9223372036854775807'),
    },
    {
      name: 'an id that no double holds',
      request: post('/api/users', user('9007199254740993')),
      status: 201,
      body: user('9007199254740993'),
    },
    {
      name: 'minus zero stays minus zero',
      request: post('/api/items', item(2, 'z', '-0')),
      status: 201,
      body: item(2, 'z', '-0'),
      after: { '/api/items/2': item(2, 'z', '-0') },
    },
    {
      name: 'the smallest double',
      request: post('/api/items', item(2, 'z', '5e-324')),
      status: 201,
      body: item(2, 'z', '5e-324'),
    },
    {
      name: 'an integer price',
      request: post('/api/items', item(2, 'z', 3)),
      status: 201,
      body: item(2, 'z', 3),
      after: { '/api/items/2': item(2, 'z', 3) },
    },
    {
      name: 'text beyond the basic plane',
      request: post('/api/users', user(2, '😀 é \\u2028')),
      status: 201,
      body: '{"id":2,"name":"😀 é \u2028"}',
    },
    { name: 'an empty name', request: post('/api/users', user(2, '')), status: 201, body: user(2, '') },
    {
      name: 'with any Content-Type',
      request: { ...post('/api/users', user(2)), headers: { 'Content-Type': 'text/plain' } },
      status: 201,
      body: user(2),
    },
    { name: 'with a byte order mark', request: post('/api/users', `\ufeff${user(2)}`), status: 201, body: user(2) },
    {
      name: 'with an identity encoding',
      request: { ...post('/api/users', user(2)), headers: { 'Content-Encoding': 'identity' } },
      status: 201,
      body: user(2),
    },
  ]);
});

describe('a body that is refused changes nothing', () => {
  const after = { '/api/items': `[${firstItem}]` };
  const refused = (name: string, body: string | Uint8Array<ArrayBuffer>, ...contains: string[]) => ({
    name,
    request: { method: 'POST', path: '/api/items', body },
    status: 400,
    contains: ['"detail":"', '"errors":[{"field":"', ...contains],
    lacks: ['src/', '.ts', 'node_modules'],
    after,
  });
  scenarios([
    refused('no body at all', '', 'The body is empty: send a JSON object.'),
    refused('broken JSON', '{"id":1,', 'not valid JSON'),
    refused('two values', '{} {}', 'not valid JSON'),
    refused('an array', `[${item(2)}]`, '{"field":"","message":"must be a JSON object"}'),
    refused('null', 'null', 'must be a JSON object'),
    refused('a string', '"x"', 'must be a JSON object'),
    refused(
      'an empty object',
      '{}',
      '{"field":"id","message":"is required"},{"field":"name","message":"is required"},{"field":"price","message":"is required"}',
    ),
    refused(
      'every field wrong',
      '{"id":"7","name":7,"price":true}',
      '{"field":"id","message":"must be an integer"},{"field":"name","message":"must be a string"},{"field":"price","message":"must be a number"}',
    ),
    refused(
      'nulls',
      '{"id":null,"name":null,"price":null}',
      'must be an integer',
      'must be a string',
      'must be a number',
    ),
    refused('an id with a fraction', item('1.5'), '{"field":"id","message":"must be an integer"}'),
    refused(
      'an id with a fraction too fine for a double',
      item('1.00000000000000000001'),
      '{"field":"id","message":"must be an integer"}',
    ),
    refused('an id above 64 bits', item('9223372036854775808'), 'from -9223372036854775808 to 9223372036854775807'),
    refused('an id far above 64 bits', item('1e999'), 'from -9223372036854775808 to 9223372036854775807'),
    refused(
      'a price that no double holds',
      item(2, 'x', '1e400'),
      '{"field":"price","message":"must be a number that a 64-bit double can hold"}',
    ),
    refused('half a surrogate pair', item(2, '\\ud800'), 'well-formed Unicode'),
    refused('U+0000', item(2, '\\u0000'), 'U+0000'),
    refused(
      'invalid UTF-8',
      new Uint8Array([...new TextEncoder().encode('{"id":1,"name":"'), 0xff, 0x22, 0x7d]),
      'UTF-8',
    ),
    refused('deep nesting', `{"id":1e0,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'nested too deeply'),
    {
      name: 'a bad user',
      request: post('/api/users', '{"id":true}'),
      status: 400,
      contains: ['Invalid user: id must be an integer; name is required.'],
    },
    {
      name: 'a compressed body',
      request: { method: 'POST', path: '/api/items', body: gzipSync(item(2)), headers: { 'Content-Encoding': 'gzip' } },
      status: 415,
      headers: { 'Accept-Encoding': 'identity' },
      contains: ['compressed'],
      after,
    },
    {
      name: 'a body over the limit',
      request: post('/api/items', item(2, 'x'.repeat(1024 * 1024))),
      status: 413,
      contains: ['1048576 bytes'],
      after,
    },
    {
      name: 'a body over a custom limit',
      request: post('/api/items', item(2, 'x'.repeat(70))),
      status: 413,
      contains: ['98 bytes'],
      maxBody: 98,
      after,
    },
    {
      name: 'a body just within the limit',
      request: post('/api/items', item(2, 'x'.repeat(70))),
      status: 201,
      maxBody: 99,
    },
  ]);
});

describe('deleting', () => {
  scenarios([
    {
      name: 'a user',
      request: { method: 'DELETE', path: '/api/users/1' },
      status: 204,
      body: '',
      headers: { 'Content-Type': null },
      after: { '/api/users': '[]' },
    },
    {
      name: 'removes the first match only',
      before: [post('/api/users', user(1, 'Second')), post('/api/users', user(2))],
      request: { method: 'DELETE', path: '/api/users/1' },
      status: 204,
      after: { '/api/users': `[${user(1, 'Second')},${user(2)}]`, '/api/users/1': user(1, 'Second') },
    },
    {
      name: 'an unknown user',
      request: { method: 'DELETE', path: '/api/users/99' },
      status: 404,
      body: '{"detail":"Not found"}',
    },
    { name: 'an invalid id', request: { method: 'DELETE', path: '/api/users/x' }, status: 400 },
    {
      name: 'through v1',
      request: { method: 'DELETE', path: '/api/v1/users/1' },
      status: 204,
      after: { '/api/users': '[]' },
    },
    {
      name: 'an item cannot be deleted',
      request: { method: 'DELETE', path: '/api/items/1' },
      status: 405,
      headers: { Allow: 'GET, HEAD, OPTIONS' },
      after: { '/api/items': `[${firstItem}]` },
    },
  ]);
});

describe('paths and methods', () => {
  const nothing = [
    '/nope',
    '/api/',
    '/api/items/',
    '/api/items/1/',
    '/api/items/1/x',
    '/API/items',
    '/api/v3/items',
    '/api/v3/items',
  ];
  scenarios([
    ...nothing.map((path) => ({
      name: `${path} is an unknown path`,
      request: { path },
      status: 404,
      contains: ['"detail":"Unknown path'],
    })),
    {
      name: 'PUT on a collection',
      request: { method: 'PUT', path: '/api/items', body: '{}' },
      status: 405,
      headers: { Allow: 'GET, HEAD, POST, OPTIONS' },
      contains: ['"detail":"The method PUT is not allowed on this path'],
    },
    {
      name: 'PATCH on a user',
      request: { method: 'PATCH', path: '/api/users/1', body: '{}' },
      status: 405,
      headers: { Allow: 'GET, HEAD, DELETE, OPTIONS' },
    },
    {
      name: 'POST on an item',
      request: { method: 'POST', path: '/api/items/1', body: '{}' },
      status: 405,
      headers: { Allow: 'GET, HEAD, OPTIONS' },
    },
    {
      name: 'OPTIONS on a collection',
      request: { method: 'OPTIONS', path: '/api/items' },
      status: 204,
      body: '',
      headers: { Allow: 'GET, HEAD, POST, OPTIONS' },
    },
    {
      name: 'OPTIONS on a record',
      request: { method: 'OPTIONS', path: '/api/users/1' },
      status: 204,
      headers: { Allow: 'GET, HEAD, DELETE, OPTIONS' },
    },
    { name: 'OPTIONS on an unknown path', request: { method: 'OPTIONS', path: '/nope' }, status: 404 },
    {
      name: 'the index',
      request: { path: '/' },
      status: 200,
      contains: [
        '"collections":[{"name":"items","href":"/api/items","v2":"/api/v2/items","count":1}',
        '"docs":"/docs"',
      ],
    },
    ...['/api', '/api/v1'].map((path) => ({
      name: `the index at ${path}`,
      request: { path },
      status: 200,
      contains: [
        `"collections":[{"name":"items","href":"${path}/items"},{"name":"users","href":"${path}/users"}]`,
        '"openapi":"/openapi.json"',
        '"v2":"/api/v2"',
      ],
    })),
    {
      name: 'the index at /api/v2',
      request: { path: '/api/v2' },
      status: 200,
      contains: [
        '"collections":[{"name":"items","href":"/api/v2/items","declaration":{"singular":"item","fields":{"name":{"type":"text"},"price":{"type":"number"}},',
        '{"name":"users","href":"/api/v2/users","declaration":{"singular":"user","fields":{"name":{"type":"text"}},',
        '"openapi":"/openapi.json"',
        '"v2":"/api/v2"',
      ],
    },
    { name: 'alive', request: { path: '/healthz' }, status: 200, body: '{"status":"ok"}' },
    { name: 'ready', request: { path: '/readyz' }, status: 200, body: '{"status":"ready"}' },
    {
      name: 'a valid request id is returned',
      request: { path: '/api/items', headers: { 'X-Request-Id': 'abc-123' } },
      status: 200,
      headers: { 'X-Request-Id': 'abc-123' },
    },
  ]);
});
