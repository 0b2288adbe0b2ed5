/** Creations that follow one another in one collection: they are inserted together, as those of a bulk are. */
import type { StepWrite } from './transaction-message.ts';

export type CreateStep = Extract<StepWrite, { op: 'create' }>;

/** Those from `start` on; none that has a condition, or refers to another of them. */
export function creationsFrom(steps: readonly StepWrite[], start: number): CreateStep[] {
  const run: CreateStep[] = [];
  for (let at = start; ; at++) {
    const step = steps[at];
    if (step?.op !== 'create' || step.after !== undefined || step.place !== steps[start]?.place) return run;
    if (step.json.some((piece) => typeof piece === 'number' && piece >= start)) return run;
    run.push(step);
  }
}
