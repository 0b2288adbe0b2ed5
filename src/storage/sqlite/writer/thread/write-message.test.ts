import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { lineOf, readLines, type Write } from './write-message.ts';

const place = fc.nat(20);
/** Names of keys, and subjects of tokens. */
const by = fc.option(fc.stringMatching(/^[\w.@:|-]{1,20}$/), { nil: undefined });
const traceId = fc.option(fc.stringMatching(/^[\da-f]{32}$/), { nil: undefined });
const json = fc.string().map((name) => JSON.stringify({ name }));
const word = fc.stringMatching(/^[!-~]{1,20}$/);
const once = fc.record({ key: word, digest: word, former: word, keptMs: fc.integer() });
const permitted = fc.option(fc.array(fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/), { maxLength: 3 }), {
  nil: undefined,
});
/** Of a bulk. */
const key = fc.option(fc.record({ key: fc.array(fc.string()), among: fc.option(fc.string(), { nil: undefined }) }), {
  nil: undefined,
});
const tag = fc.stringMatching(/^"[\w-]{1,20}"$/);
const when = <Tag>(one: fc.Arbitrary<Tag>) => {
  const list = fc.array(one, { maxLength: 3 });
  const match = fc.option(list, { nil: undefined });
  const noneMatch = fc.option(fc.oneof(list, fc.constant('*' as const)), { nil: undefined });
  const any = fc.record({ match, noneMatch });
  // A precondition without a list is parsed as undefined.
  return any.map((given) => (given.match === undefined && given.noneMatch === undefined ? undefined : given));
};

const anyWrite: fc.Arbitrary<Write> = fc.oneof(
  fc.record({
    op: fc.constant('create' as const),
    place,
    by,
    traceId,
    once: fc.option(once, { nil: undefined }),
    json,
  }),
  fc.record({
    op: fc.constant('dry bulk' as const),
    place,
    by,
    traceId,
    key,
    spooled: fc.record({ fd: fc.nat(), size: fc.nat() }),
  }),
  fc.record({
    op: fc.constant('bulk' as const),
    place,
    by,
    traceId,
    key,
    spooled: fc.record({ fd: fc.nat(), size: fc.nat() }),
    once: fc.option(once, { nil: undefined }),
  }),
  fc.record({
    op: fc.constant('import' as const),
    place,
    by,
    traceId,
    key,
    spooled: fc.record({ fd: fc.nat(), size: fc.nat() }),
    imported: fc.record({
      batches: fc.array(fc.record({ key: word, records: fc.nat() }), { maxLength: 3 }),
      keptMs: fc.integer(),
      isAgain: fc.boolean(),
    }),
  }),
  fc.record({
    op: fc.constant('delete first' as const),
    place,
    by,
    traceId,
    contractId: fc.bigInt(),
    when: when(tag),
    permitted,
  }),
  fc.record({ op: fc.constant('update' as const), place, by, traceId, recordId: fc.nat(), when: when(fc.nat()), json }),
  fc.record({
    op: fc.constant('delete' as const),
    place,
    by,
    traceId,
    recordId: fc.nat(),
    when: when(fc.nat()),
    permitted,
  }),
  fc.record({
    op: fc.constantFrom('forget keys' as const, 'trim' as const),
    keptMs: fc.integer(),
  }),
  fc.record({
    op: fc.constant('api keys' as const),
    keys: fc.record({ revoke: fc.string(), at: fc.string() }),
  }),
);

test('a write is one line, and batches of them are parsed back from joined lines', () => {
  fc.assert(
    fc.property(fc.array(anyWrite, { minLength: 1 }), (writes) => {
      const lines = writes.map(lineOf);
      expect(readLines(lines.join('\n'))).toEqual(writes);
      for (const line of lines) expect(line).not.toContain('\n');
    }),
  );
});

test('consecutive additions keep their places and callers', () => {
  const writes = [
    ...[1, 1, 12].map((to) => ({ op: 'create', place: to, by: undefined, once: undefined, json: '{"a":1}' }) as const),
    ...['a', 'a', 'ab'].map((who) => ({ op: 'create', place: 1, by: who, once: undefined, json: '{}' }) as const),
    ...['1', '1', '2'].map(
      (id) => ({ op: 'create', place: 1, by: 'a', traceId: id.repeat(32), once: undefined, json: '{}' }) as const,
    ),
  ];
  expect(readLines(writes.map(lineOf).join('\n'))).toEqual(writes);
});

test('an unknown kind of line is refused', () => {
  for (const line of ['', ' ', 'append', '{"id":1}']) expect(() => readLines(line)).toThrow('unknown kind of write');
});
