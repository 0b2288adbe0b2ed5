/** The short form of every torture, in four test files, because files run at the same time. */
import { expect, test } from 'bun:test';
import { abuse } from '../../torture/abuse.ts';
import { inflict, tortures } from '../../torture/main.ts';
import { defaultThreads, type Torture, type TortureResult } from '../../torture/support/torture.ts';

const patience = 240_000;

const all = { ...tortures, 'abuse --tls': ((run) => abuse({ ...run, tls: true })) satisfies Torture };
type Name = keyof typeof all;
type Group = 'disk' | 'load' | 'database' | 'history';

/** `waits` is true of a torture that mostly waits: it starts with the first one of its group and is checked last. */
const groups: Readonly<Record<Name, { readonly group: Group; readonly waits?: true }>> = {
  kill: { group: 'disk' },
  'full-disk': { group: 'disk' },
  'slow-sync': { group: 'disk', waits: true },
  'failing-sync': { group: 'disk' },
  migration: { group: 'disk' },
  'migration-disk': { group: 'disk' },
  race: { group: 'load' },
  readers: { group: 'load', waits: true },
  bulk: { group: 'load' },
  lists: { group: 'load' },
  listeners: { group: 'database' },
  followers: { group: 'database' },
  abuse: { group: 'load' },
  'abuse --tls': { group: 'load' },
  'memory-limit': { group: 'database' },
  failover: { group: 'database' },
  cluster: { group: 'database' },
  blackhole: { group: 'database' },
  'lost-bulk': { group: 'database', waits: true },
  patterns: { group: 'load' },
  storm: { group: 'database' },
  history: { group: 'history' },
  bank: { group: 'database' },
  'planted-faults': { group: 'history', waits: true },
  noninterference: { group: 'load' },
  'access-faults': { group: 'history' },
  soak: { group: 'history', waits: true },
};

export function shortForms(wanted: Group): void {
  const names = (Object.keys(groups) as Name[])
    .filter((name) => groups[name].group === wanted)
    .sort((left, right) => Number(groups[left].waits ?? false) - Number(groups[right].waits ?? false));
  const begun = new Map<Name, Promise<TortureResult>>();
  function begin(name: Name): Promise<TortureResult> {
    const result =
      begun.get(name) ?? inflict(all[name], { full: false, threads: defaultThreads, minutes: 0, say: () => {} });
    begun.set(name, result);
    return result;
  }
  test.each(names)(
    '%s',
    async (name) => {
      for (const other of names) if (groups[other].waits) begin(other);
      const outcome = await begin(name);
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
}
