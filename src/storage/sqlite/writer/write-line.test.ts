import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  appendLine,
  bulkLine,
  discardLine,
  dryBulkLine,
  forgetLine,
  importLine,
  keysLine,
  onceLine,
  type ParsedWrite,
  readLine,
  removeLine,
  trimLine,
  updateLine,
  type WriteLine,
} from './write-line.ts';

const place = fc.nat(20);
/** Names of keys, and subjects of tokens. */
const by = fc.option(fc.stringMatching(/^[\w.@:|-]{1,20}$/), { nil: undefined });
const json = fc.string().map((name) => JSON.stringify({ name }));
const word = fc.stringMatching(/^[!-~]{1,20}$/);
const once = fc.record({ key: word, digest: word, former: word, keptMs: fc.integer() });
const permitted = fc.option(fc.array(fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/), { maxLength: 3 }), {
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

function lineOf(write: ParsedWrite): WriteLine {
  switch (write.kind) {
    case 'append':
      return appendLine(write.place, write.json, write.by);
    case 'append once':
      return onceLine(write.place, write.once, write.json, write.by);
    case 'bulk':
      return bulkLine(write.place, write.spooled, write.once, write.by);
    case 'dry bulk':
      return dryBulkLine(write.place, write.spooled);
    case 'import':
      return importLine(write.place, write.spooled, write.imported, write.by);
    case 'remove':
      return removeLine(write.place, write.id, write.when, write.permitted, write.by);
    case 'update':
      return updateLine(write.place, write.seq, write.when, write.json, write.by);
    case 'discard':
      return discardLine(write.place, write.seq, write.when, write.permitted, write.by);
    case 'forget keys':
      return forgetLine(write.keptMs);
    case 'trim':
      return trimLine(write.keptMs);
    case 'api keys':
      return keysLine(write.write);
  }
}

const anyWrite: fc.Arbitrary<ParsedWrite> = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), place, by, json }),
  fc.record({ kind: fc.constant('append once' as const), place, by, once, json }),
  fc.record({
    kind: fc.constant('dry bulk' as const),
    by: fc.constant(undefined),
    place,
    spooled: fc.record({ fd: fc.nat(), size: fc.nat() }),
  }),
  fc.record({
    kind: fc.constant('bulk' as const),
    place,
    by,
    spooled: fc.record({ fd: fc.nat(), size: fc.nat() }),
    once: fc.option(once, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('import' as const),
    place,
    by,
    spooled: fc.record({ fd: fc.nat(), size: fc.nat() }),
    imported: fc.record({
      batches: fc.array(fc.record({ key: word, records: fc.nat() }), { maxLength: 3 }),
      keptMs: fc.integer(),
      isAgain: fc.boolean(),
    }),
  }),
  fc.record({ kind: fc.constant('remove' as const), place, by, id: fc.bigInt(), when: when(tag), permitted }),
  fc.record({ kind: fc.constant('update' as const), place, by, seq: fc.nat(), when: when(fc.nat()), json }),
  fc.record({ kind: fc.constant('discard' as const), place, by, seq: fc.nat(), when: when(fc.nat()), permitted }),
  fc.record({
    kind: fc.constantFrom('forget keys' as const, 'trim' as const),
    keptMs: fc.integer(),
    by: fc.constant(undefined),
  }),
  fc.record({
    kind: fc.constant('api keys' as const),
    write: fc.record({ revoke: fc.string(), at: fc.string() }),
    by: fc.constant(undefined),
  }),
);

test('a write is one line, and is parsed back from it', () => {
  fc.assert(
    fc.property(anyWrite, (write) => {
      expect(readLine(lineOf(write))).toEqual(write);
      expect(lineOf(write)).not.toContain('\n');
    }),
  );
});

test('an unknown kind of line is refused', () => {
  for (const line of ['', ' ', 'append', '{"id":1}'])
    expect(() => readLine(line)).toThrow('unknown kind of write line');
});
