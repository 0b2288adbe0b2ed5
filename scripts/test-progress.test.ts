import { expect, test } from 'bun:test';
import { chosenFiles, TestProgress } from './test-progress.ts';

const output =
  'bun test v1\n\nsrc/a.test.ts:\n(pass) one [1.00ms]\nprinted by a test, about b.test.ts: nothing\n\n\u001b[0msrc/b.test.ts:\u001b[0m\n(fail) two\nsrc/a.test.ts:\n(pass) three\n 2 pass';

test('the output is forwarded unchanged, with a line before each file, in pieces of any size', () => {
  for (let size = 1; size <= output.length; size++) {
    let written = '';
    const progress = new TestProgress(
      2,
      (text) => {
        written += text;
      },
      () => 7,
    );
    for (let at = 0; at < output.length; at += size) progress.take(output.slice(at, at + size));
    progress.end();
    const lines = ['[test file 1 of 2, 7 s]\n', '[test file 2 of 2, 7 s]\n'];
    expect(lines.filter((line) => written.includes(`${line}`))).toEqual(lines);
    expect(written.indexOf(lines[1] ?? '')).toBeGreaterThan(written.indexOf('(pass) one'));
    expect(lines.reduce((left, line) => left.replace(line, ''), written)).toBe(output);
  }
});

test('a failure is remembered with its file and the end of its output, and once', () => {
  const progress = new TestProgress(
    2,
    () => {},
    () => 7,
  );
  const early = Array.from({ length: 50 }, (_, n) => `line ${n}`).join('\n');
  progress.take('src/a.test.ts:\n(pass) one\n');
  progress.take(`${early}\nerror: expected 1\n(fail) two [3ms]\nsrc/b.test.ts:\nTypeError: no\n✗ three\n`);
  progress.take('\n2 tests failed:\n(fail) two [3ms]\n✗ three\n');
  expect(progress.failures).toEqual([
    `src/a.test.ts:\n${early.split('\n').slice(11).join('\n')}\nerror: expected 1\n(fail) two [3ms]`,
    'src/b.test.ts:\nTypeError: no\n✗ three',
  ]);
  expect(progress.failedFiles).toEqual(['src/a.test.ts', 'src/b.test.ts']);
});

test('a file that cannot be loaded has failed', () => {
  const progress = new TestProgress(
    1,
    () => {},
    () => 7,
  );
  progress.take('src/a.test.ts:\n(pass) one\nsrc/b.test.ts:\n\n# Unhandled error between tests\n');
  expect(progress.failedFiles).toEqual(['src/b.test.ts']);
});

test('the chosen files are counted, unless there are options', () => {
  const files = ['src/a.test.ts', 'src/b.test.ts', 'test/a.test.ts'];
  expect(chosenFiles(files, [])).toBe(3);
  expect(chosenFiles(files, ['src', './test/a.test.ts'])).toBe(3);
  expect(chosenFiles(files, ['./src/a.test.ts'])).toBe(1);
  expect(chosenFiles(files, ['-t', 'name'])).toBeUndefined();
});
