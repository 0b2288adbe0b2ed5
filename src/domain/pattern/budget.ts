/** A pattern has no graph, or it would be too large. The message follows "the pattern". */
export class NoGraph extends Error {}

/** Is called with the steps that are taken. */
export type Spend = (steps: number) => void;

/** Throws when more steps are taken. */
export function budget(steps: number): Spend {
  let left = steps;
  return (taken) => {
    left -= taken;
    if (left < 0) throw new NoGraph('is too large');
  };
}
