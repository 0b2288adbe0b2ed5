import { expect, test } from 'bun:test';
import { stepsOn } from './steps.ts';

test('records, changes and keys are counted apart, each with its own total', () => {
  const lines: string[] = [];
  const steps = stepsOn({ isTTY: true, write: (text) => lines.push(text.replace('\r\u001b[K', '')) });
  steps.begin('Copying', { record: 1, change: 2500 });
  steps.add(1);
  steps.add(2000, 'change');
  steps.add(1, 'key');
  steps.begin('Checking', { record: 1 });
  steps.end();
  // The first report of each; further ones wait.
  expect(lines.filter((line) => line !== '').map((line) => line.replace(/, .*/, ''))).toEqual([
    'Copying: 0 of 1 record',
    'Copying: 0 of 2,500 changes',
    'Copying: 0 keys',
    'Checking: 0 of 1 record',
  ]);
});
