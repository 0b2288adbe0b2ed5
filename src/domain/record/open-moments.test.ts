import { expect, test } from 'bun:test';
import { parseJson } from '../input/json.ts';
import { collection } from './collection.ts';

const at = '2026-11-15T23:59:59.999Z';
const visits = collection('visits', {
  singular: 'visit',
  fields: {
    at: { type: 'timestamp', default: '$now' },
    on: { type: 'date', default: '$today', optional: true },
    note: { type: 'text', default: '$now' },
    meta: { type: 'json', default: ['$now', '$today'] },
  },
  contract: true,
});
const stamped = (json: string) => visits.stamp?.(json, at);
const draft = (json: string) => visits.record.encodeDraft(visits.record.parse(parseJson(json)));

test('fields that are left out are open, until they get the moment', () => {
  expect(draft('{}')).toBe('{"at":[ "$now"],"on":[ "$today"],"note":"$now","meta":["$now","$today"]}');
  expect(stamped(draft('{}'))).toBe(`{"at":"${at}","on":"2026-11-15","note":"$now","meta":["$now","$today"]}`);
  expect(stamped(visits.encode(visits.parse(parseJson('{"id":1}'))))).toBe(
    `{"id":1,"at":"${at}","on":"2026-11-15","note":"$now","meta":["$now","$today"]}`,
  );
});

test('a value that was sent stays, whatever is in it', () => {
  const open = '[ "$now"]';
  const text = JSON.stringify(open);
  const sent = `{"at":"2026-01-01T00:00:00.000Z","on":null,"note":${text},"meta":{"at":["$now",${text}],"[ \\"$now\\"]":1}}`;
  expect(stamped(draft(sent.replace('["$now",', '[ "$now" , ')))).toBe(sent);
});

test('a change of some fields has no open ones, and neither has a record that is stored', () => {
  expect(visits.record.encodeDraft(visits.record.parsePatch(parseJson('{"note":"x"}')))).toBe('{"note":"x"}');
  expect(() => visits.record.parseStored(parseJson('{"external_id":1,"on":null}'))).toThrow('at is required');
});

test('without such a field there is nothing to write', () => {
  const notes = collection('notes', { singular: 'note', fields: { text: { type: 'text', default: '$now' } } });
  expect(notes.stamp).toBeUndefined();
});
