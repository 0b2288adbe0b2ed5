/**
 * Scripts and style of the console. Nothing generated is in the repository: a checkout bundles them when they are first
 * asked for, and `scripts/server-entries.ts` puts the finished texts in place of this file.
 */
import { basename, join } from 'node:path';

export type ConsoleFiles = {
  readonly script: string;
  /** Loaded by the first one, where people sign in at an issuer. */
  readonly oauth: string;
  /** What several scripts share, and screens that are loaded when they are opened, by the names of their files. */
  readonly parts: Readonly<Record<string, string>>;
  readonly style: string;
};

const folder = join(import.meta.dir, '../../../console');
const partsFolder = 'parts';

/** Throws an error that lists what does not compile. */
export async function consoleFiles(): Promise<ConsoleFiles> {
  const { success, outputs, logs } = await Bun.build({
    entrypoints: ['main.tsx', 'sign-in/oauth.ts'].map((file) => join(folder, file)),
    target: 'browser',
    minify: true,
    // What is imported later has a file of its own.
    splitting: true,
    naming: { entry: '[name].[ext]', chunk: `${partsFolder}/[name]-[hash].[ext]`, asset: '[name].[ext]' },
    // Otherwise the JSX of development, which is larger.
    define: { 'process.env.NODE_ENV': '"production"' },
    throw: false,
  });
  if (!success) throw new Error(`Cannot bundle the console: ${logs.join('\n')}`);
  const text = async (name: string) => (await outputs.find(({ path }) => path.endsWith(name))?.text()) ?? '';
  const chunks = outputs.filter(({ kind }) => kind === 'chunk');
  const parts = await Promise.all(chunks.map(async (part) => [basename(part.path), await part.text()] as const));
  return {
    script: await text('main.js'),
    oauth: await text('oauth.js'),
    style: await text('main.css'),
    parts: Object.fromEntries(parts),
  };
}
