/** What a bundle of the server consists of, in the executable and in the package. */
import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import { consoleFiles } from '../src/http/site/console-files.ts';
import type { ThreadFile } from '../src/threads/start.ts';

export const root = join(import.meta.dir, '..');

const threads: readonly ThreadFile[] = [
  'storage/sqlite/writer/thread',
  'storage/sqlite/search/thread',
  'storage/sqlite/schema/migrating-thread',
  'http/body/parse-thread',
  'cli/serving-thread',
  'cli/data/backup-thread',
];

const sourceOf = (name: string) => join(root, 'src', `${name}.ts`);
export const threadEntries = threads.map(sourceOf);
export const entrypoints = [sourceOf('cli/main'), ...threadEntries];

/** The same for every bundle of this process. */
let files: ReturnType<typeof consoleFiles> | undefined;

/**
 * In place of the module that bundles the console: a bundle has neither its source nor its dependencies. The text of a plugin
 * leaves no path of this machine in the bundle, as a replaced file would.
 */
export async function bundledConsole(): Promise<BunPlugin> {
  // Not within `onLoad`: a bundle that waits for another one never ends.
  files ??= consoleFiles();
  const contents = `export const consoleFiles = async () => (${JSON.stringify(await files)});`;
  return {
    name: 'bundled console',
    setup: (build) => {
      build.onLoad({ filter: /[/\\]src[/\\]http[/\\]site[/\\]console-files\.ts$/ }, () => ({ contents, loader: 'ts' }));
    },
  };
}
