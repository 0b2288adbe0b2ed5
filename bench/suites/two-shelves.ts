/** The benchmarks that compare two servers of Shelf: `--log`, `--access`, `--otel`, `--scope REVISION` and `--against REVISION`. */
import { type Plan, warmUps } from '../measure/two-servers.ts';
import { patchWork, works } from '../measure/work.ts';
import { accessBench } from './versions/access.ts';
import { againstFloor, compareWith, type Judged, judged, type WorkComparison } from './versions/against.ts';
import { logBench, logFloor } from './versions/log.ts';
import { otelBench, otelFloor, otelWorks } from './versions/otel.ts';
import { scopeBench } from './versions/scope.ts';

type Asked = {
  /** The value of a flag; undefined if it is not given. */
  argument(flag: string): string | undefined;
  has(flag: string): boolean;
  /** The ones that the flag names, or all. */
  chosen<Named extends { readonly name: string }>(flag: string, all: readonly Named[]): readonly Named[];
  /** Where only the benchmark itself is tried. */
  readonly quickPlan: Plan | undefined;
  say(text: string): void;
};

export type TwoShelves = {
  readonly plan: Plan;
  /** Of the file with the figures; undefined if they are not kept. */
  readonly name: string | undefined;
  run(folder: string): Promise<readonly Judged[] | { readonly reason: string }>;
};

/** Undefined if no flag asks for one of them. */
export function twoShelves({ argument, has, chosen, quickPlan, say }: Asked): TwoShelves | undefined {
  /** For two versions that differ by a few percent. */
  const plan = quickPlan ?? { starts: 15, warmUps, turns: 4, seconds: 1 };
  if (has('--log'))
    return { plan, name: 'log', run: async (folder) => judged(await logBench(plan, folder, say), logFloor) };
  if (has('--access')) {
    // Its floors are far below what is measured.
    const few = quickPlan ?? { ...plan, starts: 5 };
    return { plan: few, name: 'access', run: (folder) => accessBench(few, folder, say) };
  }
  if (has('--otel')) {
    const run = async (folder: string) =>
      judged(await otelBench(chosen('--work', otelWorks), plan, folder, say), otelFloor);
    return { plan, name: 'otel', run };
  }
  const versus = (name: string | undefined, compare: (folder: string) => ReturnType<typeof compareWith>) => ({
    plan,
    name,
    run: async (folder: string) => judgedIfAny(await compare(folder)),
  });
  const [revision, scopeRevision] = [argument('--against'), argument('--scope')];
  if (revision !== undefined)
    return versus(undefined, (folder) =>
      compareWith(revision, chosen('--work', [...works, patchWork]), plan, folder, say),
    );
  if (scopeRevision !== undefined) return versus('scope', (folder) => scopeBench(scopeRevision, plan, folder, say));
  return undefined;
}

function judgedIfAny(compared: readonly WorkComparison[] | { readonly reason: string }) {
  return 'reason' in compared ? compared : judged(compared, againstFloor);
}
