/** Runs `shelf import FILE --collection NAME` in this process. */
import type { Command } from '../config/config.ts';
import { onStop } from '../process/signals.ts';
import { importFile } from './import-file.ts';
import { openTarget } from './target/open-target.ts';

/** Returns the exit code. A stop signal ends the import after the batch that is being sent, a second one at once. */
export async function runImportFile(
  { config, collections, order }: Extract<Command, { kind: 'import' }>,
  onWaiting: (line: string) => void,
): Promise<number> {
  const stopping = new AbortController();
  onStop((how) => (how === 'at once' ? process.exit(1) : stopping.abort()));
  const target = await openTarget(order, { config, collections, env: process.env, onWaiting });
  try {
    return await importFile(order, target, {
      maxRow: config.limits.maxBody,
      signal: stopping.signal,
      screen: process.stderr,
      say: (line) => process.stdout.write(`${line}\n`),
    });
  } finally {
    await target.close();
  }
}
