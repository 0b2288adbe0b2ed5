/** The short form of every torture. */
import { expect, test } from 'bun:test';
import { abuse } from '../torture/abuse.ts';
import { inflict, tortures } from '../torture/main.ts';
import { defaultThreads, type Torture, type TortureResult } from '../torture/torture.ts';

const patience = 240_000;

const shortly = (torture: Torture) =>
  inflict(torture, { full: false, threads: defaultThreads, minutes: 0, say: () => {} });

/** These mostly wait, so they start with the first test and are checked last. */
const waiting = ['readers', 'slow-sync', 'planted-faults', 'soak'];
const begun = new Map<string, Promise<TortureResult>>();
function begin(): void {
  for (const [name, torture] of Object.entries(tortures)) {
    if (waiting.includes(name) && !begun.has(name)) begun.set(name, shortly(torture));
  }
}

const overTls: Torture = (run) => abuse({ ...run, tls: true });

const inOrder = [...Object.entries(tortures), ['abuse --tls', overTls] as const].sort(
  ([left], [right]) => Number(waiting.includes(left)) - Number(waiting.includes(right)),
);

test.each(inOrder)(
  '%s',
  async (name, torture) => {
    begin();
    const outcome = await (begun.get(name) ?? shortly(torture));
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
