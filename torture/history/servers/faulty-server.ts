/** Servers with a planted fault, whose answers break the order that `history` checks: some lines of the source are replaced. */
import { buildServer } from '../../../scripts/build-server.ts';
import { editedSource, type PlantedFault } from '../../support/edited-source.ts';

/** In milliseconds: how long a fault is visible. On a fast disk, a commit takes less than the time between two reads. */
const visibleMs = 50;

/** In files of src/storage/sqlite/writer. */
export const plantedFaults: Readonly<Record<string, PlantedFault>> = {
  'shown before the commit': {
    'writer.ts': [
      ['/** Thrown to roll back. */', 'export const early = { show() {} };'],
      [
        'const outcomes = apply(writes, now);',
        'const outcomes = apply(writes, now); early.show(writes, { outcomes, at: now, lastChange }, effects);',
      ],
    ],
    'committer.ts': [
      ['import { openWriter,', 'import { early, openWriter,'],
      [
        'this.records.fill();',
        `this.records.fill();
        early.show = (...batch) => {
          this.records.apply(...batch);
          Bun.sleepSync(${visibleMs});
        };`,
      ],
      // A failed commit is taken back.
      [
        'this.records.apply(writes, stored, this.#writer.effects);',
        'if (stored.outcomes.some(({ refused }) => refused)) this.records.startOver(stored.lastChange);',
      ],
    ],
  },
  // First that of the last write's collection: it shows changes without some that are before them.
  'half of a batch shown': {
    'memory/records-in-memory.ts': [
      [
        'apply(writes: readonly Write[], { outcomes, at, lastChange }: Applied, effects?: Effects): void {',
        `apply(writes, { outcomes, at, lastChange }, effects) {
          const places = writes.map(({ place }) => place);
          const half = (isFirst) =>
            outcomes.map((one, index) => ((places[index] === places.at(-1)) === isFirst ? one : 'missing'));
          this.applyHalf(writes, { outcomes: half(true), at, lastChange }, effects);
          if (new Set(places).size > 1) Bun.sleepSync(${visibleMs});
          this.applyHalf(writes, { outcomes: half(false), at, lastChange }, effects);
        }
        applyHalf(writes, { outcomes, at, lastChange }, effects) {`,
      ],
    ],
  },
};

/** `source` is the folder of the files. Returns how to start the server. */
export async function buildFaultyServer(
  outdir: string,
  source: string,
  fault: PlantedFault,
): Promise<readonly string[]> {
  return [process.execPath, await buildServer(outdir, editedSource(source, fault))];
}
