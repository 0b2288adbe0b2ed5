/**
 * Random collections, random writes, random queries and random evolutions: every engine answers byte for byte like the
 * others, and like a plain model in memory, which shares no code with the service. A failure prints the seed, the file and
 * all requests. DIFFERENTIAL_RUNS and DIFFERENTIAL_SEED repeat or prolong a run.
 */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Random } from '../support/data/random.ts';
import { emptyEngines, lastingEngines } from '../support/servers/engines.ts';
import { Engines, seen } from './differential/engines.ts';
import { type Extras, evolved, Maker, randomFile } from './differential/maker.ts';
import { step, whole } from './differential/steps.ts';

/** A smaller seed is not a simpler one. */
const anySeed = fc.noShrink(fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const anySeeds = (maxLength: number) => fc.array(anySeed, { minLength: 1, maxLength, size: 'max' });
const anyRun = (count: number) =>
  fc.record({
    shape: fc.array(anySeeds(10), { minLength: 2, maxLength: 3, size: 'max' }),
    seed: anySeed,
    texts: fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { maxLength: 6 }),
    jsons: fc.array(fc.json({ maxDepth: 2 }), { maxLength: 4 }),
    steps: anySeeds(count),
    evolutions: anySeeds(6),
    later: anySeeds(count),
  });
/** In milliseconds. */
const patience = 180_000;
const { DIFFERENTIAL_RUNS, DIFFERENTIAL_SEED } = process.env;
const options = (numRuns: number) => ({
  numRuns: Number(DIFFERENTIAL_RUNS ?? numRuns),
  ...(DIFFERENTIAL_SEED === undefined ? {} : { seed: Number(DIFFERENTIAL_SEED) }),
  // Shrinking ends then, too, before the time limit of the test.
  ...(DIFFERENTIAL_RUNS === undefined ? { interruptAfterTimeLimit: 120_000 } : {}),
});

const lasting = lastingEngines();

/** Some records in each collection, then the steps. */
async function play(engines: Engines, seed: number, steps: readonly number[], extras: Extras): Promise<void> {
  for (const [at, name] of Object.keys(engines.model.file).entries()) {
    for (let count = 0; count < 3; count++) {
      const body = new Maker(new Random(seed + at * 10 + count), extras, engines.model).body(name, false, false, false);
      await engines.ask(engines.model.create(name, body), name, { method: 'POST', body });
    }
  }
  for (const one of steps) await step(engines, one, extras);
  await engines.feed();
}

test(
  'random writes and queries are answered alike by every engine, and as the model says',
  async () => {
    const property = fc.asyncProperty(anyRun(160), async ({ shape, seed, steps, ...extras }) => {
      const file = randomFile(shape, seed, extras);
      const engines = await Engines.start(emptyEngines, file);
      try {
        await play(engines, seed, steps, extras).catch((error) => {
          throw engines.explain(error, file);
        });
      } finally {
        await engines.stop();
      }
    });
    await fc.assert(property, options(8));
  },
  patience,
);

test(
  'after random evolutions that lose nothing, too, on every engine whose data lasts',
  async () => {
    const property = fc.asyncProperty(anyRun(60), async ({ shape, seed, steps, evolutions, later, ...extras }) => {
      const file = randomFile(shape, seed, extras);
      const engines = await Engines.start(lasting, file);
      const changed = async () => {
        await play(engines, seed, steps, extras);
        await engines.evolve(evolved(file, evolutions, extras));
        for (const name of Object.keys(engines.model.file))
          await whole(engines, name, { filters: [], sort: [], fields: undefined, expand: [] });
        await play(engines, seed + 1, later, extras);
      };
      try {
        await changed().catch((error) => {
          throw engines.explain(error, file);
        });
      } finally {
        await engines.stop();
      }
    });
    await fc.assert(property, options(5));
  },
  patience,
);

test('those requests had answers of every kind', () => {
  const told = [...seen.keys()].map((kind) =>
    kind.replace(/^(reference-missing|still-referenced)$/, 'between records'),
  );
  const kinds = [
    '200',
    '201',
    '204',
    'check-failed',
    'invalid-body',
    'malformed-json',
    'invalid-query',
    'not-found',
    'already-exists',
  ];
  expect(told).toEqual(expect.arrayContaining([...kinds, 'between records']));
});
