/** Source files with a planted fault: some lines are replaced. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/server-entries.ts';

type Edit = readonly [before: string, after: string];
/** The edits of each file in a folder. */
export type PlantedFault = Readonly<Record<string, readonly Edit[]>>;

/** The edited files by their paths, as `Bun.build` takes them. */
export function editedSource(folder: string, fault: PlantedFault): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fault).map(([file, edits]) => {
      const path = join(root, folder, file);
      return [path, edits.reduce((text, edit) => edited(text, edit, file), readFileSync(path, 'utf8'))];
    }),
  );
}

function edited(text: string, [before, after]: Edit, file: string): string {
  const [start, end, ...more] = text.split(before);
  if (start === undefined || end === undefined || more.length > 0)
    throw new Error(`${file} has changed, so the fault cannot be planted: expected once: ${before}`);
  return start + after + end;
}
