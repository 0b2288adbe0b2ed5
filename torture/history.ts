/**
 * Concurrent clients use every API under random faults, and all answers are checked as one history. SEED=N repeats the
 * faults and requests of an earlier run, as far as timing allows.
 */
import { runHistory } from './history/run.ts';
import { onEachEngine } from './history/servers/each-engine.ts';
import { engines, type Torture } from './support/torture.ts';

export const history: Torture = (run) => {
  const minutes = run.full ? run.minutes : undefined;
  return onEachEngine(run, engines, {}, (setup, engine, seed) =>
    runHistory(setup, { engine, seed, minutes, say: run.say }),
  );
};
