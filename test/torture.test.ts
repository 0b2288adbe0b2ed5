/** The short form of every torture. */
import { expect, test } from 'bun:test';
import { inflict, tortures } from '../torture/main.ts';

const patience = 240_000;

test.each(Object.entries(tortures))(
  '%s',
  async (name, torture) => {
    const outcome = await inflict(torture, { full: false, minutes: 0, say: () => {} });
    if ('skipped' in outcome) {
      process.stderr.write(`\n!!! SKIPPED: torture ${name}, because ${outcome.skipped}\n`);
      expect(process.env.CI).toBeUndefined();
      return;
    }
    expect(outcome.complaints).toEqual([]);
    for (const value of Object.values(outcome.figures)) expect(value).toBeGreaterThan(0);
  },
  patience,
);
