import { expect, test } from 'bun:test';
import { Findings } from './findings.ts';

test('the first hundred lines are kept, and all are counted', () => {
  const findings = new Findings();
  for (let n = 0; n < 150; n++) findings.add(`line ${n}`);
  expect([findings.count, findings.lines.length, findings.lines.at(-1)]).toEqual([150, 100, 'line 99']);
});
