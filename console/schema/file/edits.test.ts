import { describe, expect, test } from 'bun:test';
import { moveMember, removeMember, renameMember, setMember } from './edits.ts';

const file = `{
  // Mine.
  "collections": {
    "books": {
      "singular": "book", // one
      "fields": {
        // The whole title.
        "title": "text", // as printed
        /* In euros. */
        "price": { "type": "decimal", "scale": 2 }, "pages": "integer",

        // The last one.
        "state": { "type": "choice", "of": ["a"] } // no comma
      }
    }
  },
  "settings": { "port": 9000, },
}
`;
const fields = ['collections', 'books', 'fields'];
/** The lines that differ. */
function changed(after: string): { readonly gone: string[]; readonly here: string[] } {
  const [before, now] = [file.split('\n'), after.split('\n')];
  return { gone: before.filter((one) => !now.includes(one)), here: now.filter((one) => !before.includes(one)) };
}

describe('a member is set', () => {
  test('in place of its value', () => {
    expect(changed(setMember(file, [...fields, 'title'], '{ "type": "text" }'))).toEqual({
      gone: ['        "title": "text", // as printed'],
      here: ['        "title": { "type": "text" }, // as printed'],
    });
  });
  test('behind the last one, whose comment stays with it', () => {
    expect(changed(setMember(file, [...fields, 'born'], '"date"'))).toEqual({
      gone: ['        "state": { "type": "choice", "of": ["a"] } // no comma'],
      here: ['        "state": { "type": "choice", "of": ["a"] }, // no comma', '        "born": "date"'],
    });
  });
  test('in one line, before a trailing comma', () => {
    expect(changed(setMember(file, ['settings', 'metrics'], 'true')).here).toEqual([
      '  "settings": { "port": 9000, "metrics": true, },',
    ]);
    expect(changed(setMember(file, [...fields, 'price', 'min'], '"0"')).here).toEqual([
      '        "price": { "type": "decimal", "scale": 2, "min": "0" }, "pages": "integer",',
    ]);
  });
  test('in front', () => {
    expect(changed(setMember(file, ['collections', 'books', 'title'], '"B"', 'first')).here).toEqual([
      '      "title": "B",',
    ]);
    expect(setMember('{ "a": 1 }', ['b'], '2', 'first')).toBe('{ "b": 2, "a": 1 }');
  });
  test('with the objects on the way to it', () => {
    expect(setMember('{}', ['collections', 'a', 'fields'], '{\n  "x": "text"\n}')).toBe(
      '{\n  "collections": {\n    "a": {\n      "fields": {\n        "x": "text"\n      }\n    }\n  }\n}',
    );
    expect(setMember('{\r\n\t"a": {}\r\n}', ['a', 'b'], '1')).toBe('{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}');
    expect(setMember('{ // nothing yet\n}', ['a'], '1')).toBe('{ // nothing yet\n  "a": 1\n}');
  });
  test('behind a trailing comma', () => {
    expect(setMember('{\n  "a": 1, // one\n}', ['b'], '2')).toBe('{\n  "a": 1, // one\n  "b": 2,\n}');
  });
});

describe('a member is removed', () => {
  test('with its comments', () => {
    expect(changed(removeMember(file, [...fields, 'title']))).toEqual({
      gone: ['        // The whole title.', '        "title": "text", // as printed'],
      here: [],
    });
  });
  test('the last one, with the comma before it', () => {
    expect(changed(removeMember(file, [...fields, 'state']))).toEqual({
      gone: [
        '        "price": { "type": "decimal", "scale": 2 }, "pages": "integer",',
        '        // The last one.',
        '        "state": { "type": "choice", "of": ["a"] } // no comma',
      ],
      here: ['        "price": { "type": "decimal", "scale": 2 }, "pages": "integer"'],
    });
    expect(removeMember('{ "a": 1, "b": 2 }', ['b'])).toBe('{ "a": 1 }');
  });
  test('within a line', () => {
    expect(removeMember('{ "a": 1, "b": 2 }', ['a'])).toBe('{ "b": 2 }');
    expect(removeMember('{ "a": 1 }', ['a'])).toBe('{}');
    expect(removeMember('{ "a": 1 }', ['x', 'y'])).toBe('{ "a": 1 }');
  });
});

test('a member is renamed', () => {
  expect(changed(renameMember(file, [...fields, 'title'], 'name'))).toEqual({
    gone: ['        "title": "text", // as printed'],
    here: ['        "name": "text", // as printed'],
  });
});

describe('members change places', () => {
  test('each with its comments, and the commas stay', () => {
    const three = '{\n  // A\n  "a": 1, // one\n  "b": 2,\n  // C\n  "c": 3 // three\n}';
    const moved = '{\n  // A\n  "a": 1, // one\n  // C\n  "c": 3, // three\n  "b": 2\n}';
    expect(moveMember(three, ['c'], -1)).toBe(moved);
    expect(moveMember(moved, ['c'], 1)).toBe(three);
    expect(moveMember(three, ['a'], -1)).toBe(three);
    expect(moveMember(three, ['c'], 1)).toBe(three);
  });
  test('within a line', () => {
    expect(moveMember('{ "a": 1, "b": 2 }', ['a'], 1)).toBe('{ "b": 2, "a": 1 }');
  });
});

test('a file that is not JSON stays as it is', () => {
  for (const edit of [setMember, removeMember] as const) expect(edit('{ "a": ', ['a'], '1')).toBe('{ "a": ');
  expect(moveMember('{ "a": ', ['a'], 1)).toBe('{ "a": ');
});
