/** What a bundle of the server consists of, in the executable and in the package. */
import { join } from 'node:path';
import { consoleFiles } from '../src/http/site/console-files.ts';
import type { ThreadFile } from '../src/threads/start.ts';

export const root = join(import.meta.dir, '..');

const threads: readonly ThreadFile[] = [
  'storage/sqlite/writer/thread',
  'storage/sqlite/search/thread',
  'http/body/parse-thread',
  'cli/serving-thread',
];

const sourceOf = (name: string) => join(root, 'src', `${name}.ts`);
export const threadEntries = threads.map(sourceOf);
export const entrypoints = [sourceOf('cli/main'), ...threadEntries];

/** In place of the module that bundles the console: a bundle has neither its source nor its dependencies. */
export async function replacedFiles(): Promise<Record<string, string>> {
  const source = `export const consoleFiles = async () => (${JSON.stringify(await consoleFiles())});`;
  return { [join(root, 'src/http/site/console-files.ts')]: source };
}
