/**
 * Script and style of the console. Nothing generated is in the repository: a checkout bundles them when they are first
 * asked for, and `scripts/server-entries.ts` puts the finished texts in place of this file.
 */
import { join } from 'node:path';

export type ConsoleFiles = { readonly script: string; readonly style: string };

/** Throws an error that lists what does not compile. */
export async function consoleFiles(): Promise<ConsoleFiles> {
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../../console/main.tsx')],
    target: 'browser',
    minify: true,
    // Otherwise the JSX of development, which is larger.
    define: { 'process.env.NODE_ENV': '"production"' },
    throw: false,
  });
  if (!success) throw new Error(`Cannot bundle the console: ${logs.join('\n')}`);
  const text = async (kind: string) => (await outputs.find(({ type }) => type.startsWith(kind))?.text()) ?? '';
  return { script: await text('text/javascript'), style: await text('text/css') };
}
