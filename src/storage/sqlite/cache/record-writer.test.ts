import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { firstMoment, lastMoment } from '../../../exact/moment.ts';
import { RecordWriter } from './record-writer.ts';

/** A text somewhere in shared memory. */
function placed(json: string) {
  const source = Buffer.from(new SharedArrayBuffer(Buffer.byteLength(json) + 10));
  return { source, start: 5, length: source.write(json, 5) };
}
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test('a record has its number, its version and its times around its bytes', () => {
  const anyMoment = fc.integer({ min: Date.parse(firstMoment), max: Date.parse(lastMoment) });
  const anyNumber = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(anyNumber, anyNumber, anyMoment, anyMoment, fc.string(), (recordId, version, created, other, name) => {
      const json = `{"name":${JSON.stringify(name)}}`;
      for (const updated of [created, other]) {
        const writer = new RecordWriter(false);
        writer.begin();
        writer.add({ recordId, version, created, updated, ...placed(json) });
        const times = `"created_at":"${new Date(created).toISOString()}","updated_at":"${new Date(updated).toISOString()}"`;
        expect(text(writer.end())).toBe(`{"id":${recordId},${json.slice(1, -1)},"version":${version},${times}}`);
      }
    }),
    { numRuns: 2000 },
  );
});

test('records are separated by commas, whatever their size, and a later page does not change an earlier one', () => {
  const writer = new RecordWriter(true);
  const record = (recordId: number, size: number) => {
    return { recordId, version: 1, created: 0, updated: 0, ...placed(`{"id":7,"name":"${'é'.repeat(size)}"}`) };
  };
  writer.begin();
  for (const [index, size] of [1, 100_000, 3].entries()) writer.add(record(index, size));
  const first = writer.end();
  writer.begin();
  writer.add(record(9, 1));
  const found = JSON.parse(`[${text(first)}]`) as { id: number; external_id: number; name: string }[];
  expect(found.map(({ id, external_id, name }) => [id, external_id, name.length])).toEqual([
    [0, 7, 1],
    [1, 7, 100_000],
    [2, 7, 3],
  ]);
});
