import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { decoded, withoutEmptyLists } from '../../test/support/otlp/schema.ts';
import { attributesOf, encodeRequest, nanoseconds } from './otlp.ts';
import { SharedAttributes } from './protobuf.ts';

// The schema does not write an empty text or a zero, except where one is a choice.
const attributes = fc.dictionary(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.boolean(), fc.integer()),
);
/** Milliseconds with microseconds, until the year 2255. */
const time = fc.integer({ min: 1, max: 2 ** 53 - 1 }).map((micros) => micros / 1000);
const span = fc.record({
  traceId: fc.stringMatching(/^[\da-f]{32}$/),
  spanId: fc.stringMatching(/^[\da-f]{16}$/),
  name: fc.string({ unit: 'grapheme', minLength: 1 }),
  kind: fc.integer({ min: 1, max: 5 }),
  startTimeUnixNano: time,
  flags: fc.integer({ min: 1 }),
  attributes,
});

test.each(['http/protobuf', 'http/json'] as const)('spans of any content are read by the schema: %s', (protocol) => {
  const property = fc.property(fc.array(span, { minLength: 1, maxLength: 20 }), (spans) => {
    const shared = new SharedAttributes({
      'http.route': '/é',
      'http.response.status_code': 200,
      'error.type': undefined,
    });
    const sent = spans.map((one) => ({ requestAttributes: shared, ...one }));
    const body = encodeRequest('traces', sent, { 'service.name': 'a' }, protocol);
    const type = protocol === 'http/json' ? 'application/json' : 'application/x-protobuf';
    const { resourceSpans } = decoded('/v1/traces', body, type) as {
      resourceSpans: { resource: object; scopeSpans: { spans?: object[] }[] }[];
    };
    const read = resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    const expected = spans.map((one) => ({
      ...one,
      startTimeUnixNano: nanoseconds(one.startTimeUnixNano),
      attributes: attributesOf({ ...shared.values, ...one.attributes }),
    }));
    expect(read).toEqual(withoutEmptyLists(expected) as object[]);
  });
  fc.assert(property, { numRuns: 50 });
});

test('a long request moves what it has written', () => {
  const spans = Array.from({ length: 2000 }, (_, at) => ({ name: `${at}`.padStart(300, 'x') }));
  const read = decoded('/v1/traces', encodeRequest('traces', spans, {}, 'http/protobuf'), '');
  expect(read).toMatchObject({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
});

test('a member that the schema does not have is a mistake of this program', () => {
  expect(() => encodeRequest('logs', [{ colour: 'red' }], {}, 'http/protobuf')).toThrow('no field colour');
});
