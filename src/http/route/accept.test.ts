import { describe, expect, test } from 'bun:test';
import { noBody } from '../../wire/request/body.ts';
import { Incoming } from '../../wire/request/incoming.ts';
import { encodingChooser, typeChooser } from './accept.ts';

function requestWith(name: string, header: string | null): Incoming {
  const [names, values] = header === null ? [[], []] : [[name], [header]];
  const head = { modern: true, framing: 0, keepAlive: true, expectsContinue: false };
  const fields = { ...head, names, values, host: undefined, fromBrowser: false, conditional: false, identified: false };
  return new Incoming({ method: 'GET', target: '/', fields }, noBody, {
    address: '',
    overLimit: false,
    isUnix: false,
    isSecure: false,
    certificate: undefined,
  });
}

describe('Accept', () => {
  const choose = typeChooser(['application/json', 'text/html', 'text/csv']);
  test.each([
    ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['TEXT/HTML', 'text/html'],
    ['application/json, text/csv;q=0.1', 'application/json'],
    ['text/csv;q=0.1, application/json', 'application/json'],
    ['application/json;q=0.2, text/csv;q=0.3', 'text/csv'],
    ['text/csv, application/json', 'text/csv'],
    ['text/csv;header=present', 'text/csv'],
    ['application/json;charset=utf-8, text/csv;q=0.1', 'application/json'],
    ['text/html;q=0, application/json', 'application/json'],
    ['text/html; q=0.000', 'application/json'],
    ['text/*, text/html;q=0', 'text/csv'],
    ['*/*', 'application/json'],
    ['application/*;q=0.5, text/csv;q=0.4', 'application/json'],
    ['text/htmlx', 'application/json'],
    ['nonsense', 'application/json'],
    ['', 'application/json'],
    [null, 'application/json'],
  ] as const)('%p is answered with %p', (header, expected) => {
    expect(choose(requestWith('accept', header))).toBe(expected);
  });
});

describe('Accept-Encoding', () => {
  const choose = encodingChooser(['zstd', 'gzip']);
  test.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['GZIP', 'gzip'],
    ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
    ['zstd;q=0, gzip', 'gzip'],
    ['gzip;q=0.2', 'gzip'],
    ['gzip;q=0.5, identity', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0, *', 'zstd'],
    ['br', undefined],
    ['identity', undefined],
    ['', undefined],
    [null, undefined],
  ] as const)('%p is answered with %p', (header, expected) => {
    expect(choose(requestWith('accept-encoding', header))).toBe(expected);
  });

  test('a repeated header gets the same choice, also after another header', () => {
    const ask = (header: string) => choose(requestWith('accept-encoding', header));
    expect([ask('gzip'), ask('zstd'), ask('zstd'), ask('gzip'), ask('')]).toEqual([
      'gzip',
      'zstd',
      'zstd',
      'gzip',
      undefined,
    ]);
  });
});
