/** Saves a history with complaints, so that they can be analysed after the run. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { History } from './check/judge.ts';

/** One line for each operation, change and follower; returns the path of the file. */
export async function keep(
  { operations, changes, deliveries }: History,
  engine: string,
  seed: number,
  folder = tmpdir(),
): Promise<string> {
  const path = join(folder, `shelf-history-${engine}-${seed}.ndjson`);
  const file = Bun.file(path).writer();
  for (const operation of operations) file.write(`${JSON.stringify({ operation })}\n`);
  for (const change of changes) file.write(`${JSON.stringify({ change })}\n`);
  for (const delivery of deliveries) file.write(`${JSON.stringify({ delivery })}\n`);
  await file.end();
  return path;
}
