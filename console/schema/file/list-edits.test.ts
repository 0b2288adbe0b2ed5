import { describe, expect, test } from 'bun:test';
import { addElement, removeElement, setElement } from './list-edits.ts';

const path = ['check'];
const inLines = `{
  "check": [
    // The first.
    { "where": { "a": 1 } }, // one
    /* The second. */
    {
      "where": { "b": 2 }
    }, // two
    { "where": { "c": 3 } } // three
  ]
}
`;
const inLine = '{ "check": ["a", ["b", "a"], "c"] }';

test('an element is replaced, and the others stay as they are', () => {
  expect(setElement(inLines, path, 0, '{}')).toBe(inLines.replace('{ "where": { "a": 1 } }', '{}'));
  expect(setElement(inLine, path, 1, '"b"')).toBe('{ "check": ["a", "b", "c"] }');
  expect(setElement(inLine, path, 3, '"b"')).toBe(inLine);
});

describe('an element is added', () => {
  test('in a line of its own, or in the same', () => {
    expect(addElement(inLines, path, '{}')).toBe(
      inLines.replace('{ "c": 3 } } // three', '{ "c": 3 } }, // three\n    {}'),
    );
    expect(addElement(inLine, path, '"d"')).toBe('{ "check": ["a", ["b", "a"], "c", "d"] }');
  });

  test('behind a comma, and with its list', () => {
    expect(addElement('{\n  "check": [\n    "a",\n  ]\n}', path, '"b"')).toBe(
      '{\n  "check": [\n    "a",\n    "b",\n  ]\n}',
    );
    expect(addElement('{\r\n  "check": [\r\n    "a"\r\n  ]\r\n}', path, '"b"')).toBe(
      '{\r\n  "check": [\r\n    "a",\r\n    "b"\r\n  ]\r\n}',
    );
    expect(addElement('{ "check": [] }', path, '"a"')).toBe('{ "check": ["a"] }');
    expect(addElement('{}', path, '"a"')).toContain('"check": ["a"]');
  });
});

test('an element goes with its comments, and the list with its last element', () => {
  expect(removeElement(inLines, path, 0)).toBe(
    inLines.replace('\n    // The first.\n    { "where": { "a": 1 } }, // one', ''),
  );
  expect(removeElement(inLines, path, 1)).toBe(
    inLines.replace('\n    /* The second. */\n    {\n      "where": { "b": 2 }\n    }, // two', ''),
  );
  expect(removeElement(inLines, path, 2)).toBe(
    inLines.replace('}, // two', '} // two').replace('\n    { "where": { "c": 3 } } // three', ''),
  );
  expect(removeElement(inLine, path, 0)).toBe('{ "check": [["b", "a"], "c"] }');
  expect(removeElement(inLine, path, 1)).toBe('{ "check": ["a", "c"] }');
  expect(removeElement(inLine, path, 2)).toBe('{ "check": ["a", ["b", "a"]] }');
  expect(removeElement('{ "check": ["a"], "b": 1 }', path, 0)).toBe('{ "b": 1 }');
});
