/** The answers about one record, checked without the feed. */
import { expect, test } from 'bun:test';
import type { Operation, Outcome, Request } from '../clients/operation.ts';
import { judgeRecords } from './records.ts';

const on = { collection: 'items', id: 4 } as const;
const body = (version: number, name: string) => JSON.stringify({ id: 4, external_id: 70, name, price: 1, version });
const shows = (...texts: string[]): Outcome => ({ kind: 'ok', shown: texts });
const lost: Outcome = { kind: 'unknown', why: 'lost' };
const missing: Outcome = { kind: 'missing' };

const create: Request = { kind: 'create', collection: 'items', drafts: [{ name: 'a', price: 1, external: 70 }] };
const get: Request = { kind: 'record', ...on };
const first: Request = { kind: 'first', collection: 'items', external: 70 };
const remove: Request = { kind: 'delete', ...on };
const update = (name: string, ifMatch?: number): Request => ({
  kind: 'update',
  ...on,
  name,
  ...(ifMatch === undefined ? {} : { ifMatch }),
});

function judged(...all: [invoked: number, answered: number, request: Request, outcome: Outcome][]): string[] {
  return judgeRecords(
    all.map(
      ([invoked, answered, request, outcome], number): Operation => ({
        number,
        client: 'c',
        door: request.kind,
        invoked,
        answered,
        request,
        outcome,
      }),
    ),
  );
}

test('answers that overlap may be in any order', () => {
  expect(
    judged(
      [0, 10, create, shows(body(1, 'a'))],
      [1, 2, get, missing],
      [3, 4, get, shows(body(1, 'a'))],
      [11, 20, update('b'), shows(body(3, 'b'))],
      [11, 20, update('c', 1), shows(body(2, 'c'))],
      [12, 13, first, shows('{"id":70,"name":"c","price":1}')],
      [21, 22, update('d', 1), { kind: 'conflict' }],
      [23, 24, remove, shows()],
      [25, 26, first, missing],
    ),
  ).toEqual([]);
});

test('a write without an answer may have happened at any time after it was sent, or never', () => {
  const made = [0, 1, create, shows(body(1, 'a'))] as const;
  expect(judged([...made], [2, 3, update('b'), lost], [4, 5, get, shows(body(1, 'a'))])).toEqual([]);
  expect(judged([...made], [2, 3, update('b'), lost], [4, 5, get, shows(body(2, 'b'))])).toEqual([]);
  expect(
    judged(
      [...made],
      [2, 3, update('b'), lost],
      [4, 5, get, shows(body(1, 'a'))],
      [6, 7, get, shows(body(2, 'b'))],
      [8, 9, get, shows(body(1, 'a'))],
    ),
  ).toHaveLength(1);
});

test('two updates that both became version 2 are not linearizable', () => {
  const [complaint] = judged(
    [0, 1, create, shows(body(1, 'a'))],
    [2, 5, update('b'), shows(body(2, 'b'))],
    [3, 6, update('c'), shows(body(2, 'c'))],
  );
  expect(complaint).toMatch(/^not linearizable: items 4: no order explains #[12] /);
});

test('the contract may not lag behind v2', () => {
  const history = (then: Outcome) =>
    judged(
      [0, 1, create, shows(body(1, 'a'))],
      [2, 6, update('b'), shows(body(2, 'b'))],
      [3, 4, get, shows(body(2, 'b'))],
      [5, 7, first, then],
    );
  expect(history(shows('{"id":70,"name":"b","price":1}'))).toEqual([]);
  expect(history(shows('{"id":70,"name":"a","price":1}'))).toHaveLength(1);
});

test('a deleted record does not come back, and is not deleted twice', () => {
  const made = [0, 1, create, shows(body(1, 'a'))] as const;
  expect(judged([...made], [2, 3, remove, shows()], [4, 5, get, shows(body(1, 'a'))])).toHaveLength(1);
  expect(judged([...made], [2, 3, remove, shows()], [4, 5, remove, shows()])).toHaveLength(1);
});

test('requests with one key are one write', () => {
  const again: Outcome = { kind: 'ok', shown: [body(1, 'a')], replayed: true };
  expect(
    judged([0, 1, create, lost], [2, 3, create, again], [4, 5, create, again], [6, 7, get, shows(body(1, 'a'))]),
  ).toEqual([]);
  expect(judged([0, 1, create, lost], [2, 3, create, again], [4, 5, get, missing])).toHaveLength(1);
});

test('a record with too many writes without an answer is left to the other checks', () => {
  const unanswered = Array.from({ length: 40 }, (_, n): [number, number, Request, Outcome] => {
    return [2, 3, update(`lost ${n}`), lost];
  });
  expect(
    judged([0, 1, create, shows(body(1, 'a'))], ...unanswered, [4, 5, get, shows(body(20, 'never written'))]),
  ).toEqual([]);
});
