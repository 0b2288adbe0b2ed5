/** Servers with a planted fault, whose answers break the order that `history` checks: some lines of the source are replaced. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildServer } from '../../scripts/build-server.ts';
import { root } from '../../scripts/server-entries.ts';

type Edit = readonly [before: string, after: string];
/** The edits of each file in src/storage/sqlite/writer. */
type PlantedFault = Readonly<Record<string, readonly Edit[]>>;

/** In milliseconds: how long a fault is visible. On a fast disk, a commit takes less than the time between two reads. */
const visibleMs = 50;

export const plantedFaults: Readonly<Record<string, PlantedFault>> = {
  'shown before the commit': {
    'writer.ts': [
      ['/** Thrown to roll back. */', 'export const early = { show() {} };'],
      ['const outcomes = apply(lines, now);', 'const outcomes = apply(lines, now); early.show(lines, outcomes, now);'],
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
        'this.records.apply(lines, outcomes, at);',
        'if (outcomes.some(({ refused }) => refused)) this.records.startOver();',
      ],
    ],
  },
  // First that of the last line's collection: it shows changes without some that are before them.
  'half of a batch shown': {
    'kept-records.ts': [
      [
        'apply(lines: readonly WriteLine[], outcomes: readonly Outcome[], at: string): void {',
        `apply(lines, outcomes, at) {
          const places = lines.map((line) => readLine(line).place);
          const half = (isFirst) =>
            outcomes.map((one, index) => ((places[index] === places.at(-1)) === isFirst ? one : 'missing'));
          this.applyHalf(lines, half(true), at);
          if (new Set(places).size > 1) Bun.sleepSync(${visibleMs});
          this.applyHalf(lines, half(false), at);
        }
        applyHalf(lines, outcomes, at) {`,
      ],
    ],
  },
};

/** Returns how to start the server. */
export async function buildFaultyServer(outdir: string, fault: PlantedFault): Promise<readonly string[]> {
  const replaced = Object.entries(fault).map(([file, edits]) => {
    const path = join(root, 'src/storage/sqlite/writer', file);
    return [path, edits.reduce((text, edit) => edited(text, edit, file), readFileSync(path, 'utf8'))] as const;
  });
  return [process.execPath, await buildServer(outdir, Object.fromEntries(replaced))];
}

function edited(text: string, [before, after]: Edit, file: string): string {
  const [start, end, ...more] = text.split(before);
  if (start === undefined || end === undefined || more.length > 0)
    throw new Error(`${file} has changed, so the fault cannot be planted: expected once: ${before}`);
  return start + after + end;
}
