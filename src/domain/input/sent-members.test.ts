import { expect, test } from 'bun:test';
import { parseJson } from './json.ts';
import { sentCells, sentMembers } from './sent-members.ts';

const sent = (text: string) => sentMembers(parseJson(text), ['json']);

test.each([
  ['white space', '{"a":"x y","b":[1,{"c":2}]}', ' { "a" : "x y",\n"b":[ 1, {"c": 2} ] }'],
  ['the order of members', '{"a":1,"b":true}', '{"b":true,"a":1}'],
  ['zeros at the end of a number', '{"a":1,"b":0.5}', '{"a":1.0,"b":0.50}'],
  ['escapes', '{"a":"é/"}', '{"\\u0061":"\\u00e9\\/"}'],
  ['all but the last member of a name', '{"a":2}', '{"a":1,"a":2}'],
])('%s makes no difference', (_, one, other) => {
  expect(sent(one)).toBe(sent(other));
});

test.each([
  ['{"a":1}', '{"a":2}'],
  ['{"a":1}', '{"b":1}'],
  ['{"a":1}', '{"a":1,"b":null}'],
  ['{"a":null}', '{"a":"null"}'],
  ['{"a":0}', '{"a":-0}'],
  ['{"a":9007199254740992}', '{"a":9007199254740993}'],
  ['{"a":"1.10"}', '{"a":"1.1"}'],
  ['{"a":"x y"}', '{"a":"xy"}'],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"json":1}', '{"json":"1"}'],
  ['{"json":{}}', '{"json":"{}"}'],
  ['{"json":true}', '{"json":"true"}'],
  ['{"json":null}', '{"json":"null"}'],
  ['{"a":"b\\",\\"c"}', '{"a":"b","c":""}'],
])('%s is not %s', (one, other) => {
  expect(sent(one)).not.toBe(sent(other));
});

test('a row of CSV is the same as the record in JSON', () => {
  const row = sentCells(['title', 'pages', 'price', 'tags', 'note'])(['1984', '328', '9.90', '["a","b"]', null]);
  expect(row).toBe(sent('{"note":null,"pages":328,"price":"9.90","tags":["a", "b"],"title":"1984"}'));
});
